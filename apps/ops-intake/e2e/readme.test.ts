import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { documentsOf, shownCommands, shownAnswer } from '@workspace/testing';
import { describeWithKafka, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { untilHealth } from './support/health.ts';
import { type RunningService, startService } from './support/service.ts';

/** The README and its pages, in the order in which their commands are to be run. */
const documents = documentsOf(join(import.meta.dirname, '..'));
const documentation = [
  'README.md',
  'docs/submitting.md',
  'docs/consuming.md',
  'docs/access.md',
  'docs/bulk.md',
]
  .map((path) => documents.get(path)!)
  .join('\n');

describeWithKafka('the documentation', () => {
  let broker: StandaloneBroker;
  let service: RunningService;
  beforeAll(async () => {
    broker = await startBroker();
    service = await startService({ KAFKA_BOOTSTRAP_SERVERS: `localhost:${broker.port}`, BULK_STREAMS: '4' });
    await untilHealth(service.url, 200);
  });
  afterAll(async () => {
    service?.signal('SIGKILL');
    await service?.exited;
    await broker.stop();
  });

  it('shows commands that print what it says', async () => {
    const shown = shownCommands(documentation);
    expect(shown).toHaveLength(11);
    const folder = mkdtempSync(join(tmpdir(), 'shown-'));
    for (const { command, lines } of shown) {
      const here = command
        .replace('localhost:3000', `127.0.0.1:${service.port}`)
        .replace('localhost:9092', broker.bootstrapServers)
        .replace(/^curl/, 'curl -s');
      const { stdout } = await promisify(execFile)('sh', ['-c', here], { cwd: folder });
      expect(stdout).toMatch(shownAnswer(lines));
    }
    rmSync(folder, { recursive: true });
  });

  it('makes a line of a token file that admits the token', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
    const line = /```sh\n(printf [^]*?)```/.exec(documentation)![1]!;
    const token = '0123456789abcdef0123456789abcdef';
    await promisify(execFile)('sh', ['-c', line], { cwd: folder, env: { ...process.env, TOKEN: token } });
    const closed = await startService({
      KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
      AUTH_TOKENS_FILE: join(folder, 'tokens'),
    });
    const statusOf = async (authorization: string) => {
      const headers = { 'content-type': 'application/json', authorization };
      return (await fetch(`${closed.url}/operations`, { method: 'POST', headers, body: '[]' })).status;
    };
    expect([await statusOf(`Bearer ${token}`), await statusOf('Bearer another-token')]).toEqual([422, 401]);
    expect(await closed.stop()).toBe(0);
    rmSync(folder, { recursive: true });
  });
});
