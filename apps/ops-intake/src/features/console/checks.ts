import type { Clock } from '@workspace/service-process';
import type { OperationsHealth } from '../../http/health/health-schema.ts';

/** A check as the console shows it. */
export interface CheckRow {
  readonly name: string;
  readonly status: string;
  /** since when it does not pass; as seen by this instance */
  readonly since: string | undefined;
  /** what the check says */
  readonly output: string;
  /** what to do next */
  readonly next: string | undefined;
  /** the runbook's file name */
  readonly runbook: string | undefined;
}

/** What to do about a check that does not pass, and the runbook of its alerts. */
export const STEPS: Readonly<Record<string, readonly [next: string, runbook: string]>> = {
  'kafka:connection': [
    'See whether the brokers run, and whether this machine reaches them.',
    'broker-unavailable.md',
  ],
  'kafka:replication': ['Restart the broker that is missing.', 'replica-down.md'],
  'kafka:in-sync-replicas': ['Restart the broker that is missing.', 'replica-down.md'],
  'kafka:quota': ['Raise the quota, or send less.', 'overload.md'],
  'kafka:settings': ['Correct the setting of the topic.', 'kafka-settings.md'],
  'kafka:clock': ['Correct the clock of this machine or of the broker.', 'kafka-settings.md'],
  'kafka:rejected-topic': ['Correct the topic of rejected submissions.', 'kafka-settings.md'],
  'kafka:search': [
    'See whether the brokers run, and whether this service may read the topic.',
    'broker-unavailable.md',
  ],
  'idempotency-store:connection': ['See whether the key store runs.', 'key-store-full.md'],
  'idempotency-store:capacity': ['Give the key store more memory.', 'key-store-full.md'],
  'idempotency-store:data': ['Ask who retries submissions to wait until then.', 'key-store-lost.md'],
  'service:submissions': ['Begin with the cause that the check names.', 'broker-unavailable.md'],
  'tokens:file': ['Correct the file of tokens before this service starts again.', 'data-stale.md'],
  'service:authentication': ['See that the address of the token issuer answers.', 'overload.md'],
};

/** Remembers since when checks do not pass. */
export class Checks {
  readonly #clock: Clock;
  /** by name; only those that do not pass, of which there are as many as names */
  #since = new Map<string, Date>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Call it at intervals: what it sees first has begun then. */
  observe({ checks }: OperationsHealth): CheckRow[] {
    const failing = Object.entries(checks).filter(([, all]) => all.some(({ status }) => status !== 'pass'));
    this.#since = new Map(failing.map(([name]) => [name, this.#since.get(name) ?? this.#clock()]));
    return Object.entries(checks).flatMap(([name, all]) =>
      all.map(({ status, output = '' }) => {
        const since = status === 'pass' ? undefined : this.#since.get(name)?.toISOString();
        const [next, runbook] = (since !== undefined && STEPS[name]) || [];
        return { name, status, output, since, next, runbook };
      }),
    );
  }
}
