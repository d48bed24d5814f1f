export { type Address, formatIPv6, ipv4, parseAddress } from './address.ts';
export { contains, firstAddressOf, type Network, networkOf, parseNetwork } from './network.ts';
