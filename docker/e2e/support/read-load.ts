import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from './stack.ts';

const READS: readonly (readonly [service: string, path: string])[] = [
  ['release-web', '/releases/branches.php'],
  ['release-web', '/api/v1/branches'],
  ['ip-locate', '/8.8.8.8/country/'],
  ['ip-locate', '/2001:4860:4860::8888/json/'],
];

/** Reads from release-web and ip-locate through the proxy until `stop`, each path from a client of its own. */
export const readLoad = (
  stack: Stack,
  { pauseMs = 20, seen = (_answered: string): void => undefined } = {},
) => {
  /** how often each status was answered, or each error met */
  const statuses = new Map<string, number>();
  let stopped = false;
  const client = async ([service, path]: (typeof READS)[number]) => {
    while (!stopped) {
      const answer = await stack.ask(service, path).catch((error: Error) => error);
      const status = 'status' in answer ? String(answer.status) : `${service}: ${answer.message}`;
      const name = /^5/.test(status) ? `${status} ${service}` : status;
      statuses.set(name, (statuses.get(name) ?? 0) + 1);
      seen(name);
      await sleep(pauseMs);
    }
  };
  const running = READS.map(client);
  return {
    /** Resolves with how often each status was answered. */
    stop: async (): Promise<Record<string, number>> => {
      stopped = true;
      await Promise.all(running);
      return Object.fromEntries(statuses);
    },
  };
};
