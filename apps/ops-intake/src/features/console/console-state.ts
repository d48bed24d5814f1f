import type { Metrics } from '@workspace/service-process';
import type { LogStatus } from '@workspace/schemas';
import type { StoreStatus } from '../../application/idempotency-store.ts';
import type { CheckRow } from './checks.ts';
import type { RecentProblem } from './recent-problems.ts';
import type { OperationsHealth } from '../../http/health/health-schema.ts';
import { answersByStatus, type RecentAnswersState, clientAnswers } from './recent-answers.ts';

/** What the console shows of the service at one moment. */
export interface ConsoleState {
  readonly at: string;
  /** when the status of the service changed; absent while it is that of its start */
  readonly since?: string;
  readonly health: Omit<OperationsHealth, 'checks'>;
  readonly checks: readonly CheckRow[];
  readonly store: {
    /** `unavailable`: submissions with an Idempotency-Key get 503; `warn`: see the checks */
    readonly status: 'available' | 'warn' | 'unavailable';
    readonly unsettled: number;
    readonly use?: StoreStatus['use'];
  };
  /** what waits for Kafka now */
  readonly queue: LogStatus['queued'];
  /** milliseconds for which a Kafka quota kept from sending last; absent while none does */
  readonly throttledMs?: number;
  /** answers to clients since the start, by HTTP status */
  readonly answers: Readonly<Record<string, number>>;
  readonly recent: RecentAnswersState;
  /** records since the start, by delivery outcome */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly problems: readonly RecentProblem[];
}

export interface ConsoleFacts {
  health: OperationsHealth;
  checks: readonly CheckRow[];
  log: LogStatus;
  store: StoreStatus;
  now: Date;
  since: Date | undefined;
  recent: RecentAnswersState;
  problems: readonly RecentProblem[];
  metrics?: Metrics | undefined;
}

export const consoleState = async ({
  health: { checks: _checks, ...health },
  checks,
  log,
  store,
  now,
  since,
  recent,
  problems,
  metrics,
}: ConsoleFacts): Promise<ConsoleState> => {
  const records = await metrics?.registry.getSingleMetric('operations_records_total')?.get();
  return {
    at: now.toISOString(),
    ...(since && { since: since.toISOString() }),
    health,
    checks,
    store: {
      status: store.error !== undefined ? 'unavailable' : store.warning || store.loss ? 'warn' : 'available',
      unsettled: store.unsettled,
      ...(store.use && { use: store.use }),
    },
    queue: log.queued,
    ...(log.throttledMs !== undefined && { throttledMs: log.throttledMs }),
    answers: answersByStatus(await clientAnswers(metrics)),
    recent,
    outcomes: Object.fromEntries(
      (records?.values ?? []).map(({ labels, value }) => [String(labels['outcome']), value]),
    ),
    problems,
  };
};
