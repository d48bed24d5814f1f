import { connect, type Socket } from 'node:net';
import { eventually } from '@workspace/testing';
import { Stack, SUBMISSION } from './support/stack.ts';
import { type Answer, type Question } from './support/request.ts';

const MEGABYTE = 1_048_576;

/** A POST to ops-intake of which less arrives than it announces; resolves when it is sent or answered. */
const unfinished = (port: number, announced: number, sent: number) =>
  new Promise<{ socket: Socket; answered: () => string }>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    const done = () => resolve({ socket, answered: () => answer });
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
      done();
    });
    socket.on('error', done).on('close', done);
    const head = 'POST /operations HTTP/1.1\r\nHost: ops-intake.localhost\r\nContent-Type: application/json';
    socket.write(`${head}\r\nContent-Length: ${announced}\r\n\r\n${' '.repeat(sent)}`, done);
  });

/** Submits a body of that many bytes from a container of the project, which has an address of its own; prints the status. */
const submitFromElsewhere = (bytes: number): string[] => [
  'node',
  '-e',
  `require('http').request({ host: 'proxy', port: 8080, path: '/operations', method: 'POST', headers: { host: 'ops-intake.localhost',
     'content-type': 'application/json' } }, (answer) => console.log(answer.statusCode, answer.resume() && ''))
     .end('[{"operation":"buy","unit-cost":1.5,"quantity":1}' + ' '.repeat(${bytes}) + ']')`,
];

describe('the proxy in a flood', () => {
  let stack: Stack;
  const ask = (service: string, path: string, more: Partial<Question> = {}) => stack.ask(service, path, more);
  const inProxy = (command: string) => stack.compose('exec', '-T', 'proxy', 'sh', '-c', command);
  /** The most memory that the proxy has used, files in memory included, and its limit. */
  const memory = async () => {
    const peak = await inProxy(
      'cat /sys/fs/cgroup/memory.peak 2>/dev/null || cat /sys/fs/cgroup/memory/memory.max_usage_in_bytes',
    );
    const [container] = await stack.containers('proxy');
    return { peak: Number(peak), limit: Number(container?.HostConfig.Memory) };
  };
  const expectUnharmed = async () => {
    const { peak, limit } = await memory();
    console.log(`the proxy took ${Math.round(peak / MEGABYTE)} of ${Math.round(limit / MEGABYTE)} MiB`);
    expect(peak).toBeLessThan(limit);
    const [container] = await stack.containers('proxy');
    expect(container).toMatchObject({ State: { Running: true, OOMKilled: false }, RestartCount: 0 });
    expect(await stack.compose('logs', 'proxy')).not.toMatch(/exited on signal|No space left/);
  };

  beforeAll(async () => {
    // Some clients are in containers.
    stack = await Stack.create({ LOCAL_NETWORK: '0.0.0.0/0' });
    await stack.up('proxy', 'release-web', 'ops-intake', 'ip-locate', 'kafka');
    await stack.writable();
  });
  afterAll(() => stack.remove());

  /** Asks for every path on 48 connections; resolves with how often each outcome came. */
  const flood = async (paths: string[]) => {
    const outcomes: Record<string, number> = {};
    const client = async () => {
      for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
        const outcome = await ask('release-web', path).then(
          ({ status }) => String(status),
          (error: NodeJS.ErrnoException) => error.code ?? error.message,
        );
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: 48 }, client));
    return outcomes;
  };

  it.each([
    ['made-up queries', 768, (n: number) => `/openapi.json?made-up=${n}`],
    // Each twice: the second time it is worth keeping.
    [
      'values of known parameters',
      4_000,
      (n: number) => `/releases/index.php?json=${n % 2000}&version=5&max=50`,
    ],
  ])('cuts no answer while %s ask for more than the cache holds', async (_, count, path) => {
    const uncached: string[] = [];
    let flooding = true;
    const legitimate = async () => {
      while (flooding) {
        const answer = await ask('ip-locate', `/8.8.${uncached.length % 250}.8/country/`).catch(String);
        uncached.push(typeof answer === 'string' ? answer : String(answer.status));
      }
    };
    const asking = legitimate();
    const outcomes = await flood(Array.from({ length: count }, (_none, number) => path(number)));
    flooding = false;
    await asking;
    expect(outcomes).toEqual({ 200: count });
    expect(uncached.filter((status) => status !== '200')).toEqual([]);
    expect(uncached.length).toBeGreaterThan(0);
    const kept = await eventually('HIT', async () => {
      const answer = await ask('release-web', '/releases/branches.php');
      return answer.headers['x-cache'] === 'HIT' ? answer : undefined;
    });
    expect(kept.status).toBe(200);
    await expectUnharmed();
  });

  it.each([
    ['200 bodies of which two bytes are missing', 200, MEGABYTE, MEGABYTE - 2],
    ['300 slow bodies', 300, MEGABYTE, 1],
    ['200 bodies of 100 kB of which two bytes are missing', 200, 99_999, 99_997],
  ])('serves others while %s are held', async (_, count, announced, sent) => {
    const held = await Promise.all(
      Array.from({ length: count }, () => unfinished(stack.port, announced, sent)),
    );
    try {
      expect((await ask('ip-locate', '/8.8.8.8/country/')).body).toBe('US');
      for (const bytes of [0, 500_000]) {
        const submit = submitFromElsewhere(bytes);
        expect(await stack.compose('exec', '-T', 'release-web', ...submit)).toMatch(/^202/);
      }
      if (announced === MEGABYTE) {
        // nginx takes eight large bodies of one client at the same time; on a busy machine, they have got 408 by now.
        const rejected = held.filter(({ answered }) =>
          /^HTTP\/1.1 429 [^]*Retry-After: 1[^]*"outcome":"not-published"/.test(answered()),
        );
        expect(rejected.length).toBe(count - 8);
      }
      await expectUnharmed();
    } finally {
      for (const { socket } of held) socket.destroy();
    }
    await eventually<Answer>('a large body', async () => {
      const body = `${String(SUBMISSION.body)}${' '.repeat(500_000)}`;
      const answer = await ask('ops-intake', '/operations', { ...SUBMISSION, body });
      return answer.status === 202 ? answer : undefined;
    });
  });

  it('is unhealthy once it has run out of memory', async () => {
    await inProxy('tail /dev/zero > /dev/null').catch(() => undefined);
    await eventually('failed health check', async () => {
      const [container] = await stack.containers('proxy');
      return (container?.State.Health?.FailingStreak ?? 0) > 0 ? true : undefined;
    });
  });
});
