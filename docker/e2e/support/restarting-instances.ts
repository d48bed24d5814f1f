import type { StandaloneBroker } from '@workspace/kafka-broker';
import { type BuiltService, eventually } from '@workspace/testing';
import type { ProxiedServices } from './proxied-services.ts';
import { startService } from './service.ts';
import { compareWithRecords, type Submissions, submitAll } from './submissions.ts';

export interface RestartOptions {
  /** how an instance ends: SIGTERM as an update does it, SIGKILL as a crash */
  readonly signal: 'SIGTERM' | 'SIGKILL';
  /** at least */
  readonly count: number;
  /** of each instance, at least */
  readonly restarts: number;
  /** of clients */
  readonly connections: number;
  /** settings of ops-intake, as compose.yaml sets them */
  readonly env: Readonly<Record<string, string>>;
}

const ADDRESSES = ['127.0.0.1', '127.0.0.2'];

/**
 * Sends submissions without a key through the proxy to two instances of ops-intake that end and start again one after the other,
 * and compares the answers with the records.
 * @param broker whose topic `operations` is deleted at the end
 */
export const submitWhileRestarting = async (
  { proxy, ports, names }: ProxiedServices,
  broker: StandaloneBroker,
  { signal, count, restarts, connections, env }: RestartOptions,
): Promise<Submissions & { readonly ends: number }> => {
  const startAt = async (host: string): Promise<BuiltService> => {
    const settings = { KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers, ...env };
    const instance = await startService('ops-intake', { host, port: ports['ops-intake'], env: settings });
    await eventually('health', async () => (await fetch(`${instance.url}/health`)).ok || undefined);
    return instance;
  };
  const instances = new Map<string, BuiltService>();
  for (const address of ADDRESSES) instances.set(address, await startAt(address));
  names.set('ops-intake', ADDRESSES);
  await proxy.restart();

  let sent = 0;
  let ends = 0;
  let isDone = false;
  const restart = async (): Promise<void> => {
    while (ends < restarts * ADDRESSES.length || sent < count) {
      for (const address of ADDRESSES) {
        const instance = instances.get(address)!;
        instance.child.kill(signal);
        await instance.exited;
        ends += 1;
        instances.set(address, await startAt(address));
      }
    }
  };
  const restarted = restart().finally(() => (isDone = true));
  const received = await submitAll(proxy.port, {
    kinds: ['unkeyed'],
    connections,
    goesOn: (now) => {
      sent = now;
      return !isDone;
    },
  });
  await restarted;
  for (const instance of instances.values()) await instance.stop();
  return { ...(await compareWithRecords(received, broker)), ends };
};
