import { Type } from '@sinclair/typebox';
import { onlyWith } from '@workspace/schemas';
import { type Opened, option, type OptionContext } from '../../extension-points.ts';
import type { TopicParts } from '../../http/contract/topic-parts.ts';
import { count, TOPIC_NAME } from '../../settings.ts';
import { watchRejected } from './metrics.ts';
import { rejectedTopic as topicOf } from './rejected-message.ts';
import { RejectedSubmissions } from './rejected-submissions.ts';
import { createRejections } from './rejections.ts';

/** What the option gives, for these submissions. */
export const openedWith = (
  rejected: RejectedSubmissions,
  options: Pick<OptionContext, 'clock' | 'fillRandomly'> & { description: TopicParts },
): Opened => ({
  onRejected: (facts) =>
    createRejections({ ...facts, ...options, keep: (rejection) => rejected.keep(rejection) }),
  warnings: () => ({ 'kafka:rejected-topic': rejected.warning }),
  topic: options.description,
});

/** Writes rejected submissions to a topic of their own. */
export const rejectedTopic = option({
  name: 'rejected-topic',
  settings: {
    REJECTED_TOPIC: Type.Optional(
      Type.String({
        pattern: TOPIC_NAME,
        description:
          'topic that submissions of authenticated clients are written to when they are rejected, see [Rejected submissions](rejected.md); they are not kept when unset',
      }),
    ),
    ...onlyWith('REJECTED_TOPIC', {
      REJECTED_BODIES: Type.Boolean({
        default: true,
        description: 'write a rejected submission itself, too, and not only what was wrong with it',
      }),
    }),
    REJECTED_QUEUE_BYTES: count(
      16_777_216,
      'maximum bytes of rejected submissions waiting for Kafka, of which one principal has at most half; what is beyond that is dropped and counted',
      17_179_869_184,
    ),
  },
  violations: (config, { isAuthenticated, credentials }) => {
    const { REJECTED_TOPIC: topic } = config;
    if (topic === undefined) return [];
    return [
      ...(topic === config.KAFKA_TOPIC ? ['REJECTED_TOPIC must be another topic than KAFKA_TOPIC'] : []),
      ...(isAuthenticated
        ? []
        : [
            `REJECTED_TOPIC is for submissions of clients that authenticate: set one of ${credentials.join(', ')}, too`,
          ]),
    ];
  },
  open: (config, { logger, clock, timers, metrics, fillRandomly, openLog, recordHeaders }) => {
    const { REJECTED_TOPIC: topic } = config;
    if (topic === undefined) return undefined;
    const onOutcome = watchRejected(metrics, () => rejected.queued);
    const rejected = new RejectedSubmissions({
      // A client of its own, whose connections, queue and quota are not those of accepted submissions.
      log: openLog(topic, 'rejected', logger.child({ of: 'rejected submissions' })),
      withBodies: config.REJECTED_BODIES,
      bodyBytes: config.MAX_MESSAGE_BYTES,
      queueBytes: config.REJECTED_QUEUE_BYTES,
      timers,
      onOutcome,
    });
    const description = topicOf(topic, recordHeaders, config.SEQUENCES);
    return {
      ...openedWith(rejected, { clock, fillRandomly, description }),
      close: async () => {
        const unwritten = await rejected.close();
        if (unwritten) logger.warn({ records: unwritten }, 'records of rejected submissions not written');
      },
    };
  },
});
