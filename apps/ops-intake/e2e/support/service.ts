import { type BuiltService, residentMegabytes, startBuiltService } from '@workspace/testing';

export { killServices } from '@workspace/testing';

export interface RunningService extends BuiltService {
  readonly managementUrl: string;
  signal(name: NodeJS.Signals): void;
  /** Resident memory in MiB, as the kernel counts it. */
  rss(): number;
}

/**
 * Starts `dist/apps/ops-intake/main.js`; resolves when it listens, which does not mean that it has found Kafka.
 * @param port a free one when left out
 */
export const startService = async (
  env: { KAFKA_BOOTSTRAP_SERVERS: string } & Record<string, string>,
  port = 0,
): Promise<RunningService> => {
  // It drains as it does in production.
  const service = await startBuiltService('ops-intake', {
    DRAIN_DELAY_MS: '250',
    PORT: String(port),
    MANAGEMENT_PORT: '0',
    ...env,
  });
  const { child, logged } = service;
  return {
    ...service,
    managementUrl: String((await logged('management listening'))['address']),
    signal: (name) => child.kill(name),
    rss: () => residentMegabytes(child.pid),
  };
};
