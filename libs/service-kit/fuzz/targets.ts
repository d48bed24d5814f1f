import { accept, acceptEncoding } from './accept.ts';
import { addresses, networks } from './addresses.ts';
import { clientAddress } from './client-address.ts';
import { markup } from './markup.ts';
import { proxyHeader } from './proxy-header.ts';
import { tokens } from './tokens.ts';

export const targets = [
  addresses,
  networks,
  clientAddress,
  proxyHeader,
  accept,
  acceptEncoding,
  tokens,
  markup,
];
