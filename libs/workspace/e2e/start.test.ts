import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { kafkaAvailable } from '@workspace/kafka-broker';
import { freePort, workspaceRoot } from '@workspace/testing';

const run = promisify(execFile);
/** Runs one line as the reader of the README would. */
const shell = async (line: string): Promise<string> => (await run('bash', ['-c', line])).stdout;

const readme = readFileSync(join(workspaceRoot, 'README.md'), 'utf8');
/** The `sh` blocks of the README that talk to running services, each with the answer shown below it. */
const examples = [...readme.matchAll(/```sh\n(curl [^`]+)```\n+```(?:json|text)\n([^`]+)```/g)].map(
  ([, command, answer]) => ({ command: (command as string).trim(), answer: (answer as string).trim() }),
);

/** What must be in the answer: members whose values do not change from run to run. */
const lasting = (answer: string): string[] =>
  answer
    .split('\n')
    .map((line) => line.trim())
    .filter(
      (line) =>
        line && !line.startsWith('…') && !/"(submissionId|offset|partition|state|latencyMs)"/.test(line),
    );

describe('npm start', () => {
  const ports = { 3000: 0, 3001: 0, 3002: 0, 9092: 0 };
  let child: ChildProcess;
  const lines: string[] = [];

  const localised = (command: string): string =>
    command.replaceAll(
      /localhost:(\d+)/g,
      (_all, port) => `localhost:${ports[Number(port) as keyof typeof ports]}`,
    );

  beforeAll(async () => {
    const availability = kafkaAvailable();
    if (!availability.ok) throw new Error(`npm start needs a broker for this suite: ${availability.missing}`);
    for (const port of Object.keys(ports)) ports[Number(port) as keyof typeof ports] = await freePort();
    const { KAFKA_BOOTSTRAP_SERVERS: _none, ...environment } = process.env;
    child = spawn('npm', ['start'], {
      cwd: workspaceRoot,
      detached: true, // a process group, so that Ctrl-C can be sent to all of it as a terminal does
      env: {
        ...environment,
        PORT_OPS_INTAKE: String(ports[3000]),
        PORT_RELEASE_WEB: String(ports[3001]),
        PORT_IP_LOCATE: String(ports[3002]),
        KAFKA_PORT: String(ports[9092]),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve, reject) => {
      createInterface(child.stdout!).on('line', (line) => {
        lines.push(line);
        if (line.startsWith('All up.')) resolve();
      });
      child.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${lines.join('\n')}`)));
    });
  });
  afterAll(() => {
    if (child.exitCode === null && child.signalCode === null && child.pid)
      process.kill(-child.pid, 'SIGKILL');
  });

  it('prints a curl for each service, and each of them works', async () => {
    const curls = lines.map((line) => line.trim()).filter((line) => line.startsWith('curl '));
    expect(curls).toHaveLength(3);
    for (const curl of curls) expect(await shell(`${curl} --fail --silent`)).not.toBe('');
  });

  it('has at least one example per service in the README', () => {
    expect(examples.length).toBeGreaterThanOrEqual(4);
  });

  it.each(examples)('gives the answer that the README shows: $command', async ({ command, answer }) => {
    const given = (await shell(localised(command))).replaceAll('\\/', '/');
    const flat = given.replaceAll(/\s+/g, '');
    for (const part of lasting(answer)) {
      expect(flat).toContain(
        part
          .replaceAll(/\s+/g, '')
          .replace(/,$/, '')
          .replaceAll('localhost:9092', `localhost:${ports[9092]}`),
      );
    }
  });

  it('has written the record, digit for digit, for a consumer that is not ours', async () => {
    const records = await shell(`kcat -b 127.0.0.1:${ports[9092]} -t operations -C -o beginning -e -q`);
    expect(records).toContain('"unit-cost":10.00');
  });

  it('stops everything on Ctrl-C, the broker included', async () => {
    const exit = once(child, 'exit');
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
