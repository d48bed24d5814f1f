import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { kafkaAvailable } from '@workspace/kafka-broker';
import { freePort, shownCommands, shownAnswer, workspaceRoot } from '@workspace/testing';

const run = promisify(execFile);
/** Runs one line as the reader of the README would. */
const shell = async (line: string): Promise<string> => (await run('bash', ['-c', line])).stdout;

const readme = readFileSync(join(workspaceRoot, 'README.md'), 'utf8');
/** The commands of the README that talk to running services, each with the answer shown below it. */
const examples = shownCommands(readme).filter(({ command }) => command.startsWith('curl '));
/** What release-web answers changes with each release of PHP: only its shape lasts. */
const lasting = (command: string, line: string): string =>
  command.includes('localhost:3001') ? line.replaceAll(/"[^"]*\d[^"]*"|"state":"\w+"/g, '…') : line;

const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started)
    if (child.exitCode === null && child.signalCode === null && child.pid)
      process.kill(-child.pid, 'SIGKILL');
});

/** The line that says how the start went. */
const outcome = (lines: string[]) => lines.find((line) => line.endsWith('Ctrl-C stops everything.'));

/**
 * Runs `npm start` on ports of its own until its last line.
 * @param env settings besides the ports
 * @param command what runs it, where that is not npm itself
 */
const start = async (
  env: NodeJS.ProcessEnv = {},
  [program, ...args]: [string, ...string[]] = ['npm', 'start'],
) => {
  const ports = {
    3000: await freePort(),
    3001: await freePort(),
    3002: await freePort(),
    9092: await freePort(),
  };
  const { KAFKA_BOOTSTRAP_SERVERS: _none, ...environment } = process.env;
  const child = spawn(program, args, {
    cwd: workspaceRoot,
    detached: true, // a process group, so that Ctrl-C can be sent to all of it as a terminal does
    env: {
      ...environment,
      PORT_OPS_INTAKE: String(ports[3000]),
      PORT_RELEASE_WEB: String(ports[3001]),
      PORT_IP_LOCATE: String(ports[3002]),
      KAFKA_PORT: String(ports[9092]),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stdout!).on('line', (line) => {
      lines.push(line);
      if (line.endsWith('Ctrl-C stops everything.')) resolve();
    });
    child.once('close', (code) => reject(new Error(`npm start ended with ${code}:\n${lines.join('\n')}`)));
  });
  return { ports, child, lines };
};

describe('npm start without Java', () => {
  const folder = mkdtempSync(join(tmpdir(), 'docker-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const fakeDocker = (): string => {
    const script =
      '[ "$1" = pull ] && printf "Pulling\\nno route to host\\n" >&2 && exit 1\n[ "$1" != image ]';
    writeFileSync(join(folder, 'docker'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return `${folder}:${process.env['PATH']}`;
  };

  it.each([
    [
      'without Docker',
      { DOCKER_HOST: 'unix:///nonexistent' },
      /no broker: install a JDK 17 or newer and Maven, or start Docker\. ops-intake answers 503 until/,
    ],
    [
      'with a Docker that cannot fetch the image',
      { PATH: fakeDocker() },
      /no broker: Docker could not fetch docker\.io\/apache\/kafka:\S+ \(no route to host\); install a JDK 17 or newer and Maven, or run docker\/engine\/run npm start, which builds the image$/,
    ],
  ])('and %s names what to install, and runs the services', async (_docker, env, expected) => {
    const { ports, child, lines } = await start({ JAVA_HOME: '/nonexistent', HOST: '127.0.0.1', ...env });
    expect(lines.filter((line) => line.startsWith('kafka ')).at(-1)).toMatch(expected);
    expect(outcome(lines)).toMatch(
      /^All started, but ops-intake answers 503 \(see above\)\. That took \d+ s\. Ctrl-C stops everything\.$/,
    );
    expect((await fetch(`http://127.0.0.1:${ports[3002]}/8.8.8.8/country/`)).status).toBe(200);
    // The console has no login: it is not there for the network that HOST may name.
    expect((await fetch(`http://127.0.0.1:${ports[3000]}/console/events`)).status).toBe(404);
    const exit = once(child, 'close');
    process.kill(-child.pid!, 'SIGINT');
    expect((await exit)[0]).toBe(0);
  });
});

describe('npm start on ports that are taken', () => {
  it('names each with the setting that moves it, and starts nothing', async () => {
    const [web, kafka] = [createServer().listen(0, '127.0.0.1'), createServer().listen(0, '127.0.0.1')];
    await Promise.all([once(web, 'listening'), once(kafka, 'listening')]);
    const [webPort, kafkaPort] = [web, kafka].map((server) => (server.address() as AddressInfo).port);
    try {
      await expect(
        start({ PORT_RELEASE_WEB: String(webPort), KAFKA_PORT: String(kafkaPort) }),
      ).rejects.toThrow(
        new RegExp(
          [
            'npm start ended with 1:\\n(>.*\\n|\\n)*',
            `release-web \\| port ${webPort} is in use: stop what listens there, or set PORT_RELEASE_WEB\\n`,
            `kafka +\\| port ${kafkaPort} is in use: stop what listens there, or set KAFKA_PORT, or `,
            `KAFKA_BOOTSTRAP_SERVERS=localhost:${kafkaPort} if it is a broker$`,
          ].join(''),
        ),
      );
    } finally {
      web.close();
      kafka.close();
    }
  });
});

describe('npm start with settings that are not ports', () => {
  it('names each setting, and starts nothing', async () => {
    await expect(start({ PORT_OPS_INTAKE: 'abc', KAFKA_PORT: '0' })).rejects.toThrow(
      /npm start ended with 1:\n(>.*\n|\n)*ops-intake +\| PORT_OPS_INTAKE must be a port from 1 to 65535, not "abc"\nkafka +\| KAFKA_PORT must be a port from 1 to 65535, not "0"$/,
    );
  });
});

describe('npm start', () => {
  let ports: Awaited<ReturnType<typeof start>>['ports'];
  let child: ChildProcess;
  let lines: string[];

  const localised = (command: string): string =>
    command.replaceAll(
      /localhost:(\d+)/g,
      (_all, port) => `localhost:${ports[Number(port) as keyof typeof ports]}`,
    );

  beforeAll(async () => {
    const availability = kafkaAvailable();
    if (!availability.ok) throw new Error(`npm start needs a broker for this suite: ${availability.missing}`);
    // Empty, as a line of an .env file may be: that counts as unset.
    ({ ports, child, lines } = await start({ KAFKA_BOOTSTRAP_SERVERS: '' }));
    expect(outcome(lines)).toMatch(/^All up\. That took \d+ s\. Ctrl-C stops everything\.$/);
  });

  it('prints a curl for each service, and each of them works', async () => {
    const curls = lines.map((line) => line.trim()).filter((line) => line.startsWith('curl '));
    expect(curls).toHaveLength(3);
    for (const curl of curls) expect(await shell(`${curl} --fail --silent`)).not.toBe('');
    const pages = lines.flatMap((line) => line.match(/http:\/\/localhost:\d+(\/docs)?/g) ?? []);
    expect(pages).toHaveLength(6);
    for (const page of pages)
      expect((await fetch(page, { headers: { accept: 'text/html' } })).headers.get('content-type')).toMatch(
        /^text\/html/,
      );
  });

  it('has at least one example per service in the README', () => {
    expect(examples.length).toBeGreaterThanOrEqual(4);
  });

  it.each(examples)('gives the answer that the README shows: $command', async ({ command, lines: shown }) => {
    const given = await shell(localised(command));
    expect(given).toMatch(shownAnswer(shown.map((line) => lasting(command, line))));
  });

  it('has written the record, digit for digit, for a consumer that is not ours', async () => {
    const records = await shell(`kcat -b 127.0.0.1:${ports[9092]} -t operations -C -o beginning -e -q`);
    expect(records).toContain('"unit-cost":10.00');
  });

  it('stops everything on Ctrl-C, the broker included', async () => {
    const exit = once(child, 'close');
    process.kill(-child.pid!, 'SIGINT');
    expect((await exit)[0]).toBe(0);
    expect(lines.at(-1)).toBe('All stopped.');
    for (const port of Object.values(ports)) {
      const server = createServer().listen(port, '127.0.0.1');
      await once(server, 'listening'); // fails when anything still holds it
      server.close();
    }
  });
});

// Those above have filled the caches.
describe('npm start, once it has run', () => {
  const unshare = ['unshare', '--net', '--map-root-user'] as const;
  const { status, stderr } = spawnSync(unshare[0], [...unshare.slice(1), 'true'], { encoding: 'utf8' });

  it('needs no network', async () => {
    if (status !== 0) {
      console.warn(`npm start not tested without a network: ${unshare.join(' ')} failed: ${stderr}`);
      // In CI a test that does not run is a failure.
      expect(process.env['CI']).toBeUndefined();
      return;
    }
    // Only the loopback interface is there: no route leads anywhere.
    const script = 'ip link set lo up && [ -z "$(ip route)" ] && exec npm start';
    const { child, lines } = await start({}, [...unshare, 'sh', '-c', script]);
    expect(outcome(lines)).toMatch(/^All up\./);
    expect(lines.filter((line) => line.startsWith('kafka '))).toEqual([
      expect.stringMatching(/\| starting \.\.\.$/),
      expect.stringMatching(/\| ready at 127\.0\.0\.1:\d+$/),
    ]);
    const exit = once(child, 'close');
    process.kill(-child.pid!, 'SIGINT');
    expect((await exit)[0]).toBe(0);
  });
});
