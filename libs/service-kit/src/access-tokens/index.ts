export * from './bearer-token.ts';
export * from './token-digests.ts';
