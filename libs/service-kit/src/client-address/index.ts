export * from './client-address.ts';
export * from './proxy-protocol.ts';
