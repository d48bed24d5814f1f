import type { Health } from '@workspace/schemas';
import { builtFile, type LogLine, type ServiceProcess, startServiceProcess } from '@workspace/testing';

/** The built service as a process of its own. */
export interface RunningService extends Omit<ServiceProcess, 'url'> {
  readonly url: string;
  readonly port: number;
  /** Resolves with the next line, from now on, that has this message. */
  nextLine(message: string): Promise<LogLine>;
  health(): Promise<Health>;
}

/** Starts dist/apps/ip-locate/main.js on a free port and waits until it is ready for requests. */
export async function startService(env: Record<string, string> = {}): Promise<RunningService> {
  const service = startServiceProcess({
    args: [builtFile('ip-locate')],
    env: { DRAIN_DELAY_MS: '0', ...env },
  });
  const url = await service.url();
  return {
    ...service,
    url,
    port: Number(new URL(url).port),
    nextLine: (message) =>
      service.logged(message, service.lines.filter(({ msg }) => msg === message).length + 1),
    health: async () => (await fetch(`${url}/health`)).json() as Promise<Health>,
  };
}
