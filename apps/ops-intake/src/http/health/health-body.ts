import type { LogStatus } from '@workspace/schemas';
import type { StoreLoss, StoreStatus } from '../../application/idempotency-store.ts';
import type { FailureCause, Outage } from '../../domain/acceptance.ts';
import type { OperationsHealth } from './health-schema.ts';

export interface HealthFacts {
  log: LogStatus;
  store: StoreStatus;
  /** what operators have to act on because of options, by the name of the check */
  warnings: Readonly<Record<string, string | undefined>>;
  /** undefined unless submissions fail */
  outage: Outage | undefined;
  /** whether any client can be identified, where clients have to authenticate */
  canAuthenticate: boolean;
  /** whether no submission is accepted without an Idempotency-Key */
  keyRequired: boolean;
  draining: boolean;
  version: string;
  bootstrapServers: string;
  topic: string;
  now: Date;
}

type Check = OperationsHealth['checks'][string][number];

const connectionCheck = ({ log, now }: HealthFacts): Check => ({
  componentType: 'datastore',
  // A passing trouble, such as a leader that moves: records wait for it, and are taken.
  status: !log.connected ? 'fail' : log.error === undefined ? 'pass' : 'warn',
  time: (log.checkedAt ?? now).toISOString(),
  ...(log.latencyMs !== undefined && { observedValue: log.latencyMs, observedUnit: 'ms' }),
  ...(log.error !== undefined && { output: log.error }),
});

const warning = (output: string | undefined, now: Date, observed: Partial<Check> = {}): Check[] =>
  output === undefined
    ? []
    : [{ componentType: 'datastore', status: 'warn', time: now.toISOString(), ...observed, output }];

const failure = (now: Date, found: Partial<Check>): Check[] => [
  { componentType: 'system', status: 'fail', time: now.toISOString(), ...found },
];

const lossText = ({ at, over }: StoreLoss): string =>
  `keys from before ${at.toISOString()} were lost; they matter until ${over.toISOString()}`;

const OUTAGES: Record<FailureCause, string> = {
  kafka: 'Kafka does not take their records',
  clock: "Kafka rejects their records: this machine's clock is too far from a broker's",
  search: 'the topic cannot be searched for their Idempotency-Keys',
  'key-store': 'the key store does not answer, or has lost keys a moment ago',
};

const outageCheck = ({ cause, forMs }: Outage): Partial<Check> => {
  const seconds = Math.round(forMs / 1_000);
  return {
    observedValue: seconds,
    observedUnit: 's',
    output: `submissions have failed for ${seconds} s: ${OUTAGES[cause]}`,
  };
};

/**
 * What /health says: `down` when submissions cannot be taken, or are not, `warn` when only those with an Idempotency-Key cannot, or
 * when the topic or the store cannot keep what is promised, or an option warns.
 */
export const healthOf = (facts: HealthFacts): OperationsHealth => {
  const { log, store, outage, canAuthenticate, keyRequired, draining, now } = facts;
  const warnings: Record<string, Check[]> = {
    'kafka:replication': warning(log.warning, now),
    ...(log.throttledMs !== undefined && {
      'kafka:quota': warning(
        `a quota of the broker (producer, consumer or request, by user and client id) keeps from sending for ${log.throttledMs} ms at a time`,
        now,
        { observedValue: log.throttledMs, observedUnit: 'ms' },
      ),
    }),
    'kafka:settings': (log.weaknesses ?? []).flatMap(({ reason }) => warning(reason, now)),
    'kafka:clock': warning(log.clock?.warning, now, {
      observedValue: log.clock?.aheadMs ?? 0,
      observedUnit: 'ms',
    }),
    'kafka:in-sync-replicas': warning(log.underReplication?.reason, now, {
      observedValue: log.underReplication?.partitions ?? 0,
      observedUnit: 'under-replicated partitions',
    }),
    'kafka:search': warning(
      log.unreadable &&
        `the topic cannot be read: ${log.unreadable}; a submission whose Idempotency-Key has to be searched for gets 503 outcome-unknown`,
      now,
    ),
    'idempotency-store:connection': warning(store.error, now, keyRequired ? { status: 'fail' } : {}),
    'idempotency-store:capacity': warning(
      store.warning,
      now,
      store.use && { observedValue: store.use.used, observedUnit: store.use.unit },
    ),
    'idempotency-store:data': warning(store.loss && lossText(store.loss), now),
    ...Object.fromEntries(
      Object.entries(facts.warnings).map(([name, output]) => [name, warning(output, now)]),
    ),
  };
  const given = Object.entries(warnings).filter(([, checks]) => checks.length > 0);
  const canClaim = !keyRequired || store.error === undefined;
  const usable = log.connected && canClaim && !outage && canAuthenticate && !draining;
  return {
    status: !usable ? 'down' : given.length === 0 && log.error === undefined ? 'up' : 'warn',
    app: 'operations-service',
    version: facts.version,
    kafka: {
      status: log.connected ? 'connected' : 'disconnected',
      'bootstrap-servers': facts.bootstrapServers,
      topic: facts.topic,
      ...(log.latencyMs !== undefined && { latencyMs: log.latencyMs }),
      ...(log.error !== undefined && { error: log.error }),
    },
    checks: {
      'kafka:connection': [connectionCheck(facts)],
      ...Object.fromEntries(given),
      ...(log.settingsKnown === false && {
        'kafka:settings': [
          {
            componentType: 'datastore',
            status: 'pass',
            time: now.toISOString(),
            output: 'not known: reading the settings of the topic (DESCRIBE_CONFIGS) is not permitted',
          },
        ],
      }),
      ...(outage && { 'service:submissions': failure(now, outageCheck(outage)) }),
      ...(!canAuthenticate && {
        'service:authentication': failure(now, { output: 'no client can authenticate' }),
      }),
      ...(draining && { 'service:draining': failure(now, {}) }),
    },
  };
};
