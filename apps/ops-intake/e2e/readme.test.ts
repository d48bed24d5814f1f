import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { documentsOf } from '@workspace/testing';
import { describeWithKafka, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { untilHealth } from './support/health.ts';
import { type RunningService, startService } from './support/service.ts';

/** The README and its pages, in the order in which their commands are to be run. */
const documents = documentsOf(join(import.meta.dirname, '..'));
const documentation = ['README.md', 'docs/submitting.md', 'docs/consuming.md', 'docs/access.md']
  .map((path) => documents.get(path)!)
  .join('\n');

/** The commands of the documentation with what they are said to print, in the order in which they are to be run. */
const commands = (): { command: string; lines: string[] }[] => {
  const blocks = [...documentation.matchAll(/^```\n(\$ [^]*?)^```$/gm)].map(([, block]) => block);
  return blocks
    .join('')
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command = '', ...lines] = text.replaceAll(/\\\n\s*/g, '').split('\n');
      return { command, lines: lines.filter((line) => line.trim() !== '') };
    });
};

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** What is printed may differ in ids, numbers that are measured, and wherever the text leaves something out (…). */
const asPattern = (line: string): RegExp => {
  const parts = line.trim().split(new RegExp(`(${UUID.source}|…|"latencyMs":[\\d.]+|localhost:\\d+)`));
  const pattern = parts.map((part) => {
    if (part === '…') return '[^]*';
    if (UUID.test(part)) return UUID.source;
    if (part.startsWith('"latencyMs"')) return '"latencyMs":[\\d.]+';
    if (part.startsWith('localhost:')) return '(localhost|127\\.0\\.0\\.1):\\d+';
    return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(pattern.join(''));
};

describeWithKafka('the documentation', () => {
  let broker: StandaloneBroker;
  let service: RunningService;
  beforeAll(async () => {
    broker = await startBroker();
    service = await startService({ KAFKA_BOOTSTRAP_SERVERS: `localhost:${broker.port}` });
    await untilHealth(service.url, 200);
  });
  afterAll(async () => {
    service?.signal('SIGKILL');
    await service?.exited;
    await broker.stop();
  });

  it('shows commands that print what it says', async () => {
    const shown = commands();
    expect(shown).toHaveLength(9);
    for (const { command, lines } of shown) {
      const here = command
        .replace('localhost:3000', `127.0.0.1:${service.port}`)
        .replace('localhost:9092', broker.bootstrapServers)
        .replace(/^curl/, 'curl -s');
      const { stdout } = await promisify(execFile)('sh', ['-c', here]);
      for (const line of lines) expect(stdout).toMatch(asPattern(line));
    }
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
