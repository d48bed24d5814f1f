import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { type StandaloneBroker, startBroker } from '@workspace/kafka-broker';
import { freePort, missingTools, runTool, workspaceRoot } from '@workspace/testing';
import { type RedisServer, startRedis } from '@workspace/testing/stores';
import { describeWithKafkaAnd } from './support/describe-with-kafka-and.ts';
import { untilHealth } from './support/health.ts';
import { killServices, type RunningService, startService } from './support/service.ts';

const SUBMITTERS = join(import.meta.dirname, '../examples/submitters');
const TARGET = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'three-services',
  'cargo-submitter',
);

interface Language {
  readonly name: string;
  readonly tools: readonly string[];
  /** @returns command and arguments */
  readonly prepare: (folder: string, serviceUrl: string) => Promise<[string, ...string[]]>;
}

const program = (name: string): string => join(workspaceRoot, 'node_modules/.bin', name);

const TSC =
  '--noEmit --strict --noUncheckedIndexedAccess --ignoreConfig --allowImportingTsExtensions --skipLibCheck --types node ' +
  '--target es2023 --lib es2023,dom,dom.iterable --module nodenext --moduleResolution nodenext';

const LANGUAGES: Language[] = [
  {
    name: 'typescript',
    tools: [],
    prepare: async (folder, serviceUrl) => {
      const types = [`${serviceUrl}/openapi.json`, '-o', join(folder, 'openapi.d.ts')];
      await runTool(process.execPath, [program('openapi-typescript'), ...types]);
      const roots = ['--typeRoots', join(workspaceRoot, 'node_modules/@types')];
      const submitter = join(folder, 'submitter.ts');
      await runTool(process.execPath, [program('tsc'), ...TSC.split(' '), ...roots, submitter]);
      return [process.execPath, submitter];
    },
  },
  { name: 'python', tools: ['python3'], prepare: async () => ['python3', '-B', 'submitter.py'] },
  { name: 'java', tools: ['java'], prepare: async () => ['java', 'Submitter.java'] },
  {
    name: 'go',
    tools: ['go'],
    prepare: async (folder) => {
      await runTool('go', ['build', '-o', join(folder, 'go-submitter'), join(SUBMITTERS, 'submitter.go')]);
      return [join(folder, 'go-submitter')];
    },
  },
  {
    name: 'rust',
    tools: ['cargo'],
    prepare: async () => {
      const manifest = ['--manifest-path', join(SUBMITTERS, 'Cargo.toml'), '--target-dir', TARGET];
      await runTool('cargo', ['build', '--quiet', '--locked', ...manifest]);
      return [join(TARGET, 'debug', 'submitter')];
    },
  },
];

const available = LANGUAGES.filter(({ name, tools }) => {
  const missing = missingTools(...tools);
  if (missing.length > 0) console.warn(`submitter in ${name} skipped: it needs ${missing.join(', ')}`);
  return missing.length === 0;
});

/** What goes wrong with the submission of each language, once. */
const FAULTS = ['none', 'unanswered', 'unknown', 'restart'] as const;
type Fault = (typeof FAULTS)[number];
const bodyOf = (at: number) => `[{"operation":"buy","unit-cost":10.${at}0,"quantity":100}]`;

describeWithKafkaAnd(['redis-server'], 'the examples of submitters', () => {
  let broker: StandaloneBroker;
  let redis: RedisServer;
  let service: RunningService;
  let proxy: Server;
  let folder: string;
  let port = 0;
  /** by the key: how often it was sent, and how it was answered */
  const sent = new Map<string, number[]>();
  const asked: string[] = [];
  const barriers = new Map<string, { came: Set<string>; open: () => void; opened: Promise<void> }>();

  const startIntake = async (): Promise<void> => {
    const env = {
      KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers,
      IDEMPOTENCY_STORE_URL: redis.url,
      DEADLINE_MS: '1000',
    };
    service = await startService(env, port);
    await untilHealth(service.url, 200);
  };

  /** Waits until every language has come as far, however often: then it is done, and all go on. */
  const together = async (what: Fault | 'answered', name: string, done: () => unknown): Promise<void> => {
    let barrier = barriers.get(what);
    if (!barrier) {
      let open = (): void => undefined;
      const opened = new Promise<void>((resolve) => (open = resolve));
      barriers.set(what, (barrier = { came: new Set(), open, opened }));
    }
    const { came } = barrier;
    if (!came.has(name) && came.add(name).size === available.length) {
      await done();
      barrier.open();
    }
    await barrier.opened;
  };

  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const key = String(request.headers['idempotency-key'] ?? '');
    const [name = '', planned] = key.split('/');
    const isSubmission = request.method === 'POST';
    const isFirst = isSubmission && !sent.has(key);
    if (isFirst) sent.set(key, []);
    if (!isSubmission) asked.push(request.url!);
    const fault = isFirst ? (planned as Fault) : 'none';
    // A client that waits for too long for the others comes once more.
    if (planned === 'unknown') await together('unknown', name, () => broker.freeze());
    const answer = await fetch(service.url + request.url!, {
      method: request.method!,
      ...(isSubmission && {
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body,
      }),
    });
    sent.get(key)?.push(answer.status);
    const said = await answer.text();
    if (fault === 'restart') await together('restart', name, restart);
    // It is in the log, and its client is not told.
    if (fault === 'unanswered' || fault === 'restart') return void response.destroy();
    const headers = ['content-type', 'location', 'retry-after'].flatMap((header) => {
      const value = answer.headers.get(header);
      return value === null ? [] : [[header, value]];
    });
    response.writeHead(answer.status, Object.fromEntries(headers)).end(said);
    if (fault === 'unknown') await together('answered', name, () => broker.thaw());
  };

  const restart = async (): Promise<void> => {
    service.signal('SIGKILL');
    await once(service.child, 'exit');
    await startIntake();
  };

  beforeAll(async () => {
    [broker, redis, folder] = await Promise.all([
      startBroker(),
      startRedis(),
      mkdtemp(join(tmpdir(), 'submitters-')),
    ]);
    port = await freePort();
    await broker.createTopic('operations', { partitions: 2 });
    await startIntake();
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await cp(join(SUBMITTERS, 'submitter.ts'), join(folder, 'submitter.ts'));
    proxy = createServer((request, response) => {
      forward(request, response).catch(() => response.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  }, 120_000);
  afterAll(async () => {
    proxy?.closeAllConnections();
    proxy?.close();
    await killServices();
    await Promise.all([broker?.stop(), redis?.stop()]);
    await rm(folder, { recursive: true });
  });

  const keysOf = (name: string): string[] => FAULTS.map((fault) => `${name}/${fault}`);

  const run = async ([command, ...args]: [string, ...string[]], name: string) => {
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const lines = [...keysOf(name).map((key, at) => `${key}\t${bodyOf(at)}`), `${name}/bad\t[]`];
    const child = spawn(command, [...args, url], { cwd: SUBMITTERS });
    child.stdin.end(`${lines.join('\n')}\n`);
    const [printed, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { printed: printed.trimEnd().split('\n'), errors, code };
  };

  it('submit everything exactly once, through answers that are lost, unknown outcomes and a restart', async () => {
    const commands = await Promise.all(available.map(({ prepare }) => prepare(folder, service.url)));
    const runs = await Promise.all(available.map(({ name }, at) => run(commands[at]!, name)));
    const ids = new Map<string, string>();
    for (const [at, { name }] of available.entries()) {
      const { printed, errors, code } = runs[at]!;
      expect([name, errors]).toEqual([name, '']);
      const results = printed.map((line) => line.split('\t'));
      // Where one was not expected, the answer says why.
      const unexpected = results.slice(0, -1).filter(([, outcome]) => outcome !== 'accepted');
      expect(unexpected).toEqual([]);
      expect(results.map(([key, outcome]) => [key, outcome])).toEqual([
        ...keysOf(name).map((key) => [key, 'accepted']),
        [`${name}/bad`, 'rejected'],
      ]);
      for (const [key, , answer] of results) {
        const { submissionId, type } = JSON.parse(answer!) as { submissionId?: string; type?: string };
        if (submissionId) ids.set(submissionId, key!);
        else expect(type).toBe('urn:problem-type:invalid-submission');
      }
      expect(code).toBe(1);
      // What is not in the log when it is asked for is sent again, with the same key.
      const [plain, unanswered, unknown, restarted] = keysOf(name).map((key) => sent.get(key)!);
      expect([name, plain, unknown]).toEqual([
        name,
        expect.arrayContaining([202]),
        expect.arrayContaining([503]),
      ]);
      for (const statuses of [unanswered, restarted]) {
        expect(statuses!.length).toBeGreaterThan(1);
        expect(new Set(statuses)).toEqual(new Set([202]));
      }
    }
    const records = await broker.consume('operations');
    expect(records.map(({ headers, value }) => `${ids.get(headers['ce_id']!)} ${value}`).sort()).toEqual(
      available.flatMap(({ name }) => keysOf(name).map((key, at) => `${key} ${bodyOf(at)}`)).sort(),
    );
    expect(asked.length).toBeGreaterThanOrEqual(available.length);
  }, 120_000);
});

it('the examples of submitters are short', async () => {
  const files = [
    'submitter.ts',
    'submitter.py',
    'Submitter.java',
    'submitter.go',
    'Submitter.cs',
    'submitter.rs',
  ];
  for (const file of files) {
    const lines = (await runTool('cat', [join(SUBMITTERS, file)])).split('\n').length - 1;
    expect([file, lines < 80]).toEqual([file, true]);
  }
});
