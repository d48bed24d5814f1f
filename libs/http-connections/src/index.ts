export { type ClientNetwork, ClientShares } from './client-shares.ts';
export type { RawResponse } from './connection-ends.ts';
export {
  Connections,
  type ConnectionsOptions,
  type ConnectionTimes,
  MAX_HEADER_FIELDS,
} from './connections.ts';
export { createDrain, type Drain } from './drain.ts';
export { yieldToEventLoop } from './event-loop.ts';
export type { Preface } from './preface.ts';
export { detach } from './small-chunks.ts';
