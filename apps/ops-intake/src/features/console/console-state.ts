import type { Metrics } from '@workspace/service-process';
import type { LogStatus } from '@workspace/schemas';
import type { StoreStatus } from '../../application/idempotency-store.ts';
import type { CheckRow } from './checks.ts';
import type { RecentProblem } from './recent-problems.ts';
import type { OperationsHealth } from '../../http/health/health-schema.ts';
import { answersByStatus, type RecentAnswersState, clientAnswers } from './recent-answers.ts';

export interface ConsoleFacts {
  health: OperationsHealth;
  checks: readonly CheckRow[];
  log: LogStatus;
  store: StoreStatus;
  now: Date;
  /** when the status of the service changed; undefined while it is that of its start */
  since: Date | undefined;
  recent: RecentAnswersState;
  problems: readonly RecentProblem[];
  metrics?: Metrics | undefined;
}

/** What the console shows of the service at one moment. */
export const consoleState = async (facts: ConsoleFacts) => {
  const { log, store, now, since, metrics, ...shown } = facts;
  const { checks: _shownSeparately, ...health } = facts.health;
  const records = await metrics?.registry.getSingleMetric('operations_records_total')?.get();
  return {
    ...shown,
    at: now.toISOString(),
    ...(since && { since: since.toISOString() }),
    health,
    store: {
      // `unavailable`: submissions with an Idempotency-Key get 503; `warn`: see the checks
      status: store.error !== undefined ? 'unavailable' : store.warning || store.loss ? 'warn' : 'available',
      unsettled: store.unsettled,
      ...(store.use && { use: store.use }),
    },
    // What waits for Kafka now.
    queue: log.queued,
    // Milliseconds for which a Kafka quota kept from sending last; absent while none does.
    ...(log.throttledMs !== undefined && { throttledMs: log.throttledMs }),
    // Since the start, answers to clients by HTTP status, and records by delivery outcome.
    answers: answersByStatus(await clientAnswers(metrics)),
    outcomes: Object.fromEntries(
      (records?.values ?? []).map(({ labels, value }) => [String(labels['outcome']), value]),
    ),
  };
};
