import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';
import { workspaceRoot } from '../src/workspace-root.ts';

const CLIENTS = 32;
const ANSWERS_BEFORE_SIGTERM = 2_000;

describe.each([
  { name: 'release-web', path: '/releases/branches.php' },
  { name: 'ip-locate', path: '/8.8.8.8/json/' },
  { name: 'ops-intake', path: '/health/live' },
])('SIGTERM to $name under load', ({ name, path }) => {
  it('answers every request that was accepted and exits with 0', async () => {
    const child = spawn(process.execPath, [join(workspaceRoot, 'dist/apps', name, 'main.js')], {
      env: { PATH: process.env['PATH'], PORT: '0', KAFKA_BOOTSTRAP_SERVERS: '127.0.0.1:9' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    try {
      const url = await new Promise<string>((resolve) => {
        createInterface(child.stdout).on('line', (line) => {
          const { msg, address } = JSON.parse(line) as { msg: string; address: string };
          if (msg === 'ready for requests') resolve(address);
        });
      });
      const dispatcher = new Agent({ connections: CLIENTS });
      let answered = 0;
      let closedPolitely = 0;
      // A client that is told `connection: close` goes elsewhere, as a balancer would send it: what it has asked for by
      // then was asked on a connection the service had accepted, and has to be answered.
      const client = async (): Promise<void> => {
        for (let told: unknown; told !== 'close';) {
          const answer = await request(url + path, { dispatcher });
          await answer.body.dump();
          expect(answer.statusCode).toBe(200);
          told = answer.headers['connection'];
          if (told === 'close') closedPolitely += 1;
          if ((answered += 1) === ANSWERS_BEFORE_SIGTERM) child.kill('SIGTERM');
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      expect(answered).toBeGreaterThanOrEqual(ANSWERS_BEFORE_SIGTERM);
      expect(closedPolitely).toBe(CLIENTS);
      expect((await exit)[0]).toBe(0);
      await dispatcher.close();
    } finally {
      child.kill('SIGKILL');
    }
  });
});
