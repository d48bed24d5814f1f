import type { Metrics } from '@workspace/service-kit';
import type { LogStatus } from '../../application/operation-log.ts';
import type { RecentProblem } from './recent-problems.ts';
import type { OperationsHealth } from '../health/health-schema.ts';

/** What the console shows of the service at one moment. */
export interface ConsoleState {
  readonly at: string;
  readonly health: OperationsHealth;
  /** what waits for Kafka now */
  readonly queue: LogStatus['queued'];
  /** answers to POST /operations since the start, by HTTP status */
  readonly answers: Readonly<Record<string, number>>;
  /** records since the start, by delivery outcome */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly problems: readonly RecentProblem[];
}

export interface ConsoleFacts {
  health: OperationsHealth;
  log: LogStatus;
  now: Date;
  problems: readonly RecentProblem[];
  metrics?: Metrics | undefined;
}

export const consoleState = async ({
  health,
  log,
  now,
  problems,
  metrics,
}: ConsoleFacts): Promise<ConsoleState> => {
  const counted = (await metrics?.registry.getMetricsAsJSON()) ?? [];
  /** The values of a metric, summed by one of its labels. */
  const sums = (
    metric: string,
    label: string,
    isCounted: (value: MetricValue) => boolean = () => true,
  ): Record<string, number> => {
    const result: Record<string, number> = {};
    const values = (counted.find(({ name }) => name === metric)?.values ?? []) as MetricValue[];
    for (const value of values.filter(isCounted)) {
      const key = String(value.labels[label]);
      result[key] = (result[key] ?? 0) + value.value;
    }
    return result;
  };
  return {
    at: now.toISOString(),
    health,
    queue: log.queued,
    answers: sums(
      'http_request_duration_seconds',
      'status',
      ({ metricName, labels }) =>
        metricName === 'http_request_duration_seconds_count' && labels['route'] === '/operations',
    ),
    outcomes: sums('operations_records_total', 'outcome'),
    problems,
  };
};

interface MetricValue {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}
