import { type BuiltService, eventually, startBuiltService } from '@workspace/testing';
import type { Running } from './process.ts';

export type App = 'release-web' | 'ops-intake' | 'ip-locate';

/** Resolves when something answers at the URL, whatever it says; rejects with the program's own words when it ends first. */
export const answered = async (program: Running, url: string): Promise<void> => {
  const status = await eventually(`answer at ${url}`, async () => {
    if (!program.running()) return 'ended';
    // Where it sends others to may be nowhere here.
    return (await fetch(url, { redirect: 'manual' })).status;
  });
  if (status === 'ended') throw new Error(`it ended instead of answering at ${url}:\n${program.output()}`);
};

/** Starts a built service on an address of this machine (127.0.0.1, 127.0.0.2, …); resolves when it listens. */
export const startService = (
  app: App,
  { host = '127.0.0.1', port, env = {} }: { host?: string; port: number; env?: Record<string, string> },
): Promise<BuiltService> => {
  // As in compose.yaml: the proxy decides who may submit, and passes on the names that clients use.
  const settings = { HOST: host, PORT: String(port), ALLOW_ANONYMOUS: 'true', ...env };
  return startBuiltService(app, settings);
};
