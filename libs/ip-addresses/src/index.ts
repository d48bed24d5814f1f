export { type Address, addressOf, formatIPv6, parseAddress } from './address.ts';
export { contains, firstAddressOf, type Network, networkOf, parseNetwork } from './network.ts';
