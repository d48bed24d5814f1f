import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { builtFile, eventually, workspaceRoot } from '@workspace/testing';
import { type Running, start } from './process.ts';

export type App = 'release-web' | 'ops-intake' | 'ip-locate';

export interface Instance extends Running {
  readonly address: string;
  readonly url: string;
}

/** Resolves when something answers at the URL, whatever it says; rejects with the program's own words when it ends first. */
export async function answered(program: Running, url: string): Promise<void> {
  const status = await eventually(`answer at ${url}`, async () => {
    if (!program.running()) return 'ended';
    // Where it sends others to may be nowhere here.
    return (await fetch(url, { redirect: 'manual' })).status;
  });
  if (status === 'ended') throw new Error(`it ended instead of answering at ${url}:\n${program.output()}`);
}

/** Starts a built service on an address of this machine (127.0.0.1, 127.0.0.2, …); resolves when it answers. */
export async function startService(
  app: App,
  { host = '127.0.0.1', port, env = {} }: { host?: string; port: number; env?: Record<string, string> },
): Promise<Instance> {
  const main = builtFile(app);
  if (!existsSync(main)) throw new Error(`${main} is missing: nx build ${app}`);
  const running = start({
    command: join(workspaceRoot, 'node_modules/node/bin/node'),
    args: [main],
    env: {
      ...process.env,
      NODE_ENV: undefined,
      HOST: host,
      PORT: String(port),
      LOG_LEVEL: 'warn',
      // As in compose.yaml: the proxy decides who may submit, and passes on the names that clients use.
      ALLOW_ANONYMOUS: 'true',
      ...env,
    },
  });
  const url = `http://${host}:${port}`;
  await answered(running, url);
  return { ...running, address: `${host}:${port}`, url };
}
