import { accept, acceptEncoding } from './accept.ts';
import { addresses, networks } from './addresses.ts';
import { clientAddress } from './client-address.ts';
import { markup } from './markup.ts';
import { tokens } from './tokens.ts';

export const targets = [addresses, networks, clientAddress, accept, acceptEncoding, tokens, markup];
