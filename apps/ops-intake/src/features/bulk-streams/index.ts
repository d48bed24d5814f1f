import { Type } from '@sinclair/typebox';
import type { Config } from '../../config.ts';
import { type Opened, option, type OptionContext } from '../../extension-points.ts';
import { bulkRoute } from './bulk-route.ts';
import { bulkSchema } from './bulk-schema.ts';
import type { BulkLimits } from './bulk-session.ts';
import { bulkMetrics } from './metrics.ts';
import { bulkProblems as problems } from './problems.ts';

/** How long the answer of a stream may go unread while its lines still arrive: less than the silence that closes a connection. */
const UNREAD_MS = 20_000;

/**
 * Most lines of a stream that are worked on at once: enough for 100,000 a second where Kafka answers within 20 ms. More would
 * outlive several garbage collections, each of which copies them.
 */
const MOST_LINES = 2_000;

/** What a line of a stream has beside its submission: keys, names and space. */
const LINE_EXTRA_BYTES = 4_096;

/** What each stream may hold: all of them together up to half of what the service may. */
const limitsOf = (config: Config, streams: number, unreadMs: number): BulkLimits => {
  const shareOf = (total: number): number => Math.max(1, Math.floor(total / 2 / streams));
  return {
    submissions: Math.min(MOST_LINES, shareOf(config.QUEUE_RECORDS)),
    bytes: shareOf(config.BODIES_BYTES),
    lineBytes: config.BODY_LIMIT_BYTES + LINE_EXTRA_BYTES,
    deadlineMs: config.DEADLINE_MS,
    unreadMs,
  };
};

/** @param unreadMs milliseconds for which the answer of a stream may go unread; shorter only in tests */
export const openStreams = (
  streams: number,
  { timers, metrics }: OptionContext,
  unreadMs = UNREAD_MS,
): Opened => ({
  routes: (app, { config, drain, submitting }) => {
    const { schemas, withSequences } = submitting.facts;
    bulkRoute(app, '/operations/batch', {
      ...submitting,
      schema: bulkSchema(submitting.facts),
      limits: limitsOf(config, streams, unreadMs),
      streams,
      members: { withSchemas: schemas !== undefined, withSequences },
      drain,
      timers,
      observer: bulkMetrics(metrics),
    });
  },
});

/** Takes streams of submissions, a line each. */
export const bulkStreams = option({
  name: 'bulk-streams',
  settings: {
    BULK_STREAMS: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 1_000,
      description:
        'maximum streams of [POST /operations/batch](bulk.md) at once; together they take up to half of QUEUE_RECORDS and BODIES_BYTES; 0 means that there is no such path',
    }),
  },
  problems,
  open: ({ BULK_STREAMS: streams }, context) => (streams > 0 ? openStreams(streams, context) : undefined),
});
