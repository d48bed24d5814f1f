import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { type StandaloneBroker, startBroker } from '@workspace/kafka-broker';
import { freePort, workspaceRoot } from '@workspace/testing';
import { type RedisServer, startRedis } from '@workspace/testing/stores';
import { describeWithKafkaAnd } from './support/describe-with-kafka-and.ts';
import { untilHealth } from './support/health.ts';
import { killServices, type RunningService, startService } from './support/service.ts';
import {
  availableLanguages,
  type Language,
  LANGUAGES,
  PREPARATION_LOCK,
  shownPreparation,
  submitterEnvironment,
  SUBMITTERS,
} from './support/submitter-languages.ts';

const available = availableLanguages();

/** What goes wrong with the submission of each language, once; in this order. */
const FAULTS = [
  'none',
  'unanswered', // it is in the log, and its client is not told
  'cut', // so it is here: the answer ends inside of a 503
  'stalled', // and here: the answer does not end
  'throttled', // 429 with Retry-After
  'dated', // 503 with a date in Retry-After, as from a proxy
  'long', // 429 with a Retry-After that no integer holds
  'text', // 502 with JSON that is not an object
  'array',
  'null',
  'token', // it is in the log, its client is not told, and then the token is not accepted
  'unknown', // the broker is frozen
  'restart', // the service is killed
  'killed', // the submitter is killed
] as const;
type Fault = (typeof FAULTS)[number];
const bodyOf = (at: number) => `[{"operation":"buy",\t"unit-cost":10.${at}0,\t"quantity":100}]`;
/** It is refused, and comes to the service as it was, whatever the locale. */
const REFUSED = '[{"operation":"größer"}]';

const problem = (type: string, status: number, outcome?: string): string =>
  JSON.stringify({ type: `urn:problem-type:${type}`, title: type, status, outcome });

describeWithKafkaAnd(['redis-server'], 'the examples of submitters', () => {
  let broker: StandaloneBroker;
  let redis: RedisServer;
  let service: RunningService;
  let proxy: Server;
  let folder: string;
  let port = 0;
  /** by the key: how often it came, and how its attempts were answered */
  const arrivals = new Map<string, number>();
  const sent = new Map<string, number[]>();
  /** Submitters are killed in the first round only. */
  let isFirstRound = true;
  const refused: string[] = [];
  const asked: string[] = [];
  /** by the language */
  const authorizations = new Map<string, Set<string | undefined>>();
  const running = new Map<string, ChildProcess>();
  const barriers = new Map<string, { came: Set<string>; open: () => void; opened: Promise<void> }>();
  /** by the key: when an attempt was answered with 429, and how long after the next one came */
  const throttledAt = new Map<string, number>();
  const waitedMs = new Map<string, number>();

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

  /** Ends a submitter, and what runs it. */
  const kill = ({ pid, exitCode, signalCode }: ChildProcess): void => {
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
  };

  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const key = String(request.headers['idempotency-key'] ?? '');
    const [name = '', planned] = key.split('/');
    const isSubmission = request.method === 'POST';
    const arrival = (arrivals.get(key) ?? 0) + 1;
    if (isSubmission) {
      arrivals.set(key, arrival);
      if (arrival === 1) sent.set(key, []);
      authorizations.set(name, (authorizations.get(name) ?? new Set()).add(request.headers.authorization));
    } else asked.push(request.url!);
    // JSON that says nothing of the submission, once for each
    if (!isSubmission && asked.indexOf(request.url!) === asked.length - 1)
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    if (planned === 'refused') refused.push(body.toString());
    const fault = isSubmission && arrival === 1 ? (planned as Fault) : 'none';
    const answerProblem = (
      status: number,
      problemJson: string,
      headers: Record<string, string> = {},
    ): void => {
      sent.get(key)!.push(status);
      response.writeHead(status, { 'content-type': 'application/problem+json', ...headers }).end(problemJson);
    };
    const throttled = throttledAt.get(key);
    if (throttled !== undefined && !waitedMs.has(key)) waitedMs.set(key, performance.now() - throttled);
    if (fault === 'throttled') {
      throttledAt.set(key, performance.now());
      return answerProblem(429, problem('too-many-requests', 429), { 'retry-after': '1' });
    }
    if (fault === 'dated') {
      const date = new Date().toUTCString();
      return answerProblem(503, problem('log-unavailable', 503, 'not-published'), { 'retry-after': date });
    }
    if (fault === 'long') {
      return answerProblem(429, problem('too-many-requests', 429), { 'retry-after': '9'.repeat(20) });
    }
    const odd = { text: '"bad gateway"', array: '["bad gateway"]', null: 'null' }[fault as string];
    if (odd) return answerProblem(502, odd);
    if (planned === 'token' && arrival === 2) return answerProblem(401, problem('unauthorized', 401));
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
    const text = await answer.text();
    if (fault === 'restart') await together('restart', name, restart);
    const isKilled = planned === 'killed' && isFirstRound;
    if (isKilled) kill(running.get(name)!);
    if (isKilled || ['unanswered', 'restart', 'token'].includes(fault)) return void response.destroy();
    if (fault === 'cut') {
      const whole = problem('log-unavailable', 503, 'not-published');
      response.writeHead(503, {
        'content-type': 'application/problem+json',
        'content-length': whole.length,
        'retry-after': '0',
      });
      return void response.write(whole.slice(0, 20), () => response.destroy());
    }
    const headers = ['content-type', 'location', 'retry-after'].flatMap((header) => {
      const value = answer.headers.get(header);
      return value === null ? [] : [[header, value]];
    });
    response.writeHead(answer.status, Object.fromEntries(headers));
    if (fault === 'stalled') return void response.write(text.slice(0, 20));
    response.end(text);
    if (fault === 'unknown') await together('answered', name, () => broker.thaw());
  };

  const restart = async (): Promise<void> => {
    service.signal('SIGKILL');
    await once(service.child, 'exit');
    await startIntake();
  };

  const keysOf = (name: string): string[] => FAULTS.map((fault) => `${name}/${fault}`);

  beforeAll(async () => {
    [broker, redis, folder] = await Promise.all([
      startBroker(),
      startRedis(),
      mkdtemp(join(tmpdir(), 'submitters-')),
    ]);
    // npx takes the generators from here, which package-lock.json pins. Not in a copy, where Maven would look for sources.
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await symlink(join(workspaceRoot, 'node_modules'), join(folder, 'node_modules'));
    port = await freePort();
    await broker.createTopic('operations', { partitions: 2 });
    await startIntake();
    proxy = createServer((request, response) => {
      forward(request, response).catch(() => response.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  });
  afterAll(async () => {
    for (const child of running.values()) kill(child);
    proxy?.closeAllConnections();
    proxy?.close();
    await killServices();
    await Promise.all([broker?.stop(), redis?.stop()]);
    await rm(folder, { recursive: true });
  });

  const shell = async (name: string, command: string, env: NodeJS.ProcessEnv = {}) => {
    const child = spawn('sh', ['-c', command], {
      cwd: join(folder, name),
      env: { ...submitterEnvironment(), ...env },
      detached: true,
    });
    running.set(name, child);
    child.stdin.end();
    const [printed, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { printed: printed.trimEnd().split('\n'), errors, code };
  };

  /**
   * Copies the submitter of a language, and does what its page says and its compiler needs.
   * @returns the command that runs it
   */
  const prepare = async (
    language: Language,
    descriptionUrl: string,
    name = language.name,
  ): Promise<string> => {
    const copy = join(folder, name);
    await mkdir(dirname(PREPARATION_LOCK), { recursive: true });
    const isSource = (file: string) => !['target', 'bin', 'obj'].includes(basename(file));
    await cp(SUBMITTERS, copy, { recursive: true, filter: isSource });
    const lines = [...keysOf(name).map((key, at) => `${key}\t${bodyOf(at)}`), `${name}/refused\t${REFUSED}`];
    await writeFile(join(copy, 'submissions.tsv'), `${lines.join('\n')}\n`);
    const run = async (command: string, env?: NodeJS.ProcessEnv): Promise<void> => {
      const { printed, errors, code } = await shell(name, command, env);
      if (code !== 0) throw new Error(`${command}: ${errors}${printed.join('\n')}`);
    };
    const SHOWN = (await shownPreparation(language)).replaceAll('http://localhost:3000', descriptionUrl);
    await run('flock "$LOCK" sh -ec "$SHOWN"', { LOCK: PREPARATION_LOCK, SHOWN });
    const command = (await language.check?.(copy, run)) ?? language.command;
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    return `${command} ${url} <submissions.tsv`;
  };

  it('use the members that the service describes', async () => {
    const description = await (await fetch(`${service.url}/openapi.json`)).text();
    const renamed = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(description.replaceAll('"statusUrl"', '"outcomeUrl"'));
    }).listen(0, '127.0.0.1');
    await once(renamed, 'listening');
    const url = `http://127.0.0.1:${(renamed.address() as AddressInfo).port}`;
    const errors = await Promise.all(
      available.map(async (language) => {
        const prepared = prepare(language, url, `${language.name}-renamed`);
        return [language.name, await prepared.catch((error: unknown) => String(error))];
      }),
    );
    renamed.close();
    // That is what the compilers say, each in the words of its language.
    const missing = /(?:attribute|field|definition|method) .*status_?url|StatusURL undefined|TS2345/i;
    expect(errors).toEqual(available.map(({ name }) => [name, expect.stringMatching(missing)]));
  });

  it('submit everything exactly once, whatever fails, and submit it again when they were killed', async () => {
    const commands = await Promise.all(available.map((language) => prepare(language, service.url)));
    const inAll = (env?: NodeJS.ProcessEnv) =>
      Promise.all(available.map(({ name }, at) => shell(name, commands[at]!, env)));
    const killed = await inAll();
    const withoutToken = new Map(authorizations);
    authorizations.clear();
    isFirstRound = false;
    const runs = await inAll({ TOKEN: 'secret' });
    const ids = new Map<string, string>();
    for (const [at, { name }] of available.entries()) {
      const before = killed[at]!.printed.map((line) => line.split('\t'));
      const expected = FAULTS.slice(0, -1).map((fault) => [
        `${name}/${fault}`,
        fault === 'token' ? 'unknown' : 'accepted',
      ]);
      // Where one was not expected, its answer and the standard error say why.
      expect([before.map(([key, outcome]) => [key, outcome]), killed[at]]).toEqual([expected, killed[at]]);
      expect([name, killed[at]!.code]).not.toEqual([name, 0]);
      const { printed, errors, code } = runs[at]!;
      // That is what `go run` says of the exit status.
      expect([name, errors.replace('exit status 1\n', '')]).toEqual([name, '']);
      const results = printed.map((line) => line.split('\t'));
      expect(results.slice(0, -1).filter(([, outcome]) => outcome !== 'accepted')).toEqual([]);
      expect(results.map(([key, outcome]) => [key, outcome])).toEqual([
        ...keysOf(name).map((key) => [key, 'accepted']),
        [`${name}/refused`, 'rejected'],
      ]);
      for (const [key, , answer] of results) {
        const { submissionId, type } = JSON.parse(answer!) as { submissionId?: string; type?: string };
        if (submissionId) ids.set(submissionId, key!);
        else expect(type).toBe('urn:problem-type:invalid-submission');
      }
      expect(code).toBe(1);
      // A slow machine may add others.
      const expectStatuses = (fault: Fault, ...statuses: number[]) =>
        expect([name, fault, ...sent.get(`${name}/${fault}`)!]).toEqual(expect.arrayContaining(statuses));
      for (const fault of FAULTS) {
        expectStatuses(fault, 202);
        const isSentAgain =
          arrivals.get(`${name}/${fault}`)! > (fault === 'none' || fault === 'killed' ? 1 : 2);
        expect([name, fault, isSentAgain]).toEqual([name, fault, true]);
      }
      expectStatuses('throttled', 429);
      expectStatuses('dated', 503);
      expectStatuses('long', 429);
      for (const fault of ['text', 'array', 'null'] as const) expectStatuses(fault, 502);
      expectStatuses('token', 401);
      // A submitter that did not wait came after 0.1 s.
      expect([name, waitedMs.get(`${name}/throttled`)! > 900]).toEqual([name, true]);
      // What is not in the log when it is asked for is sent again, with the same key.
      expectStatuses('unknown', 503);
      expect([name, ...withoutToken.get(name)!]).toEqual([name, undefined]);
      expect([name, ...authorizations.get(name)!]).toEqual([name, 'Bearer secret']);
    }
    expect(refused).toEqual(available.map(() => REFUSED));
    expect(asked.length).toBeGreaterThanOrEqual(available.length);
    const records = await broker.consume('operations');
    expect(records.map(({ headers, value }) => `${ids.get(headers['ce_id']!)} ${value}`).sort()).toEqual(
      available.flatMap(({ name }) => keysOf(name).map((key, at) => `${key} ${bodyOf(at)}`)).sort(),
    );
  });
});

it.each(LANGUAGES)('the submitter in $name is short', async ({ file }) => {
  const lines = (await readFile(join(SUBMITTERS, file), 'utf8')).split('\n').length - 1;
  expect(lines).toBeLessThan(80);
});
