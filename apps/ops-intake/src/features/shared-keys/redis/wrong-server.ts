import { BAD_REPLY } from '../checked-reply.ts';

/**
 * Errors of a server that is not the one that keeps the keys, or not any more, as after a failover behind one address: the connection
 * stays open, and only another one can reach the right server. Slots are for servers of a Cluster.
 */
export const WRONG_SERVER: ReadonlySet<string> = new Set([
  'READONLY',
  'MASTERDOWN',
  'NOMASTERLINK',
  'NOREPLICAS',
  'LOADING',
  'MISCONF',
  'UNBLOCKED',
  'UNKILLABLE',
  'REDIRECT',
  'NOAUTH',
  'WRONGPASS',
  'MOVED',
  'ASK',
  'TRYAGAIN',
  'CROSSSLOT',
  'CLUSTERDOWN',
  BAD_REPLY,
]);
