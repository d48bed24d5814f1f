import type { Option } from '../../extension-points.ts';
import { problems } from './problems.ts';
import { batchRoute } from './route.ts';

/** Shorter than the silence after which a connection is closed. */
const UNREAD_MS = 20_000;

/** @param unreadMs milliseconds for which an answer may go unread while its request still arrives */
export const createBatches = (unreadMs: number): Option => ({
  name: 'batches',
  problems,
  open: () => ({
    paths: ['POST /batch'],
    routes: (app, lookups) => batchRoute(app, '/batch', { ...lookups, unreadMs }),
  }),
});

/** Many addresses in one request. */
export const batches = createBatches(UNREAD_MS);
