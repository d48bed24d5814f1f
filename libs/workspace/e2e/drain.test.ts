import { join } from 'node:path';
import { startServiceProcess, workspaceRoot } from '@workspace/testing';
import { Agent, request } from 'undici';

const CLIENTS = 32;
const ANSWERS_BEFORE_SIGTERM = 2_000;

describe.each([
  { name: 'release-web', path: '/releases/branches.php' },
  { name: 'ip-locate', path: '/8.8.8.8/json/' },
  { name: 'ops-intake', path: '/health/live' },
])('SIGTERM to $name under load', ({ name, path }) => {
  it('answers every request that was accepted and exits with 0', async () => {
    const service = startServiceProcess({
      args: [join(workspaceRoot, 'dist/apps', name, 'main.js')],
      env: { KAFKA_BOOTSTRAP_SERVERS: '127.0.0.1:9' },
    });
    try {
      const url = await service.url();
      const dispatcher = new Agent({ connections: CLIENTS });
      let answered = 0;
      let closedPolitely = 0;
      // A client that receives `connection: close` connects elsewhere, as a balancer would: what it has asked for by
      // then was asked on a connection the service had accepted, and has to be answered.
      const client = async (): Promise<void> => {
        for (let header: unknown; header !== 'close';) {
          const answer = await request(url + path, { dispatcher });
          await answer.body.dump();
          expect(answer.statusCode).toBe(200);
          header = answer.headers['connection'];
          if (header === 'close') closedPolitely += 1;
          if ((answered += 1) === ANSWERS_BEFORE_SIGTERM) void service.stop();
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      expect(answered).toBeGreaterThanOrEqual(ANSWERS_BEFORE_SIGTERM);
      expect(closedPolitely).toBe(CLIENTS);
      expect(await service.exited).toBe(0);
      await dispatcher.close();
    } finally {
      service.child.kill('SIGKILL');
    }
  });
});
