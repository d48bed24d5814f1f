import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort, runTool, workspaceRoot } from '@workspace/testing';

/** A schema registry that others made, with a login. */
export interface RealRegistry {
  readonly url: string;
  readonly login: { readonly username: string; readonly password: string };
  /** the JSON Schema with an id */
  schema(id: string): Promise<unknown>;
  /** Keeps connections open and answers nothing, until `thaw`. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** Starts AxonOps' registry, built from its Go module on first use, with its schemas in memory. Needs `go`. */
export const startRealRegistry = async (): Promise<RealRegistry> => {
  const program = (await runTool(join(workspaceRoot, 'docker/tools/program'), ['schema-registry'])).trim();
  const folder = mkdtempSync(join(tmpdir(), 'registry-'));
  const login = { username: 'ops-intake', password: 'secret of ops-intake' };
  const port = await freePort();
  const config = {
    server: { host: '127.0.0.1', port },
    storage: { type: 'memory' },
    security: { auth: { enabled: true, methods: ['basic'], bootstrap: { enabled: true, ...login } } },
  };
  // YAML has JSON in it.
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config));
  const child = spawn(program, ['-config', join(folder, 'config.yaml')], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Basic ${btoa(`${login.username}:${login.password}`)}` };
  await eventually('answer of the registry', async () => (await fetch(`${url}/subjects`, { headers })).ok);
  return {
    url,
    login,
    schema: async (id) => {
      const answer = await fetch(`${url}/schemas/ids/${id}`, { headers });
      return JSON.parse(((await answer.json()) as { schema: string }).schema) as unknown;
    },
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await ended;
      rmSync(folder, { recursive: true });
    },
  };
};
