import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort } from '@workspace/testing';
import { eventually, workspaceRoot } from '@workspace/testing';

const containers = (name: string): string[] =>
  execFileSync('docker', ['ps', '--all', '--quiet', '--filter', `name=${name}`], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);

describe('npm start without Java', () => {
  let child: ChildProcess;
  const lines: string[] = [];
  let intake: number;
  let broker: string;

  beforeAll(async () => {
    const [opsIntake, releaseWeb, ipLocate, kafka] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    intake = opsIntake;
    broker = `kafka-${kafka}`;
    const { KAFKA_BOOTSTRAP_SERVERS: _none, ...environment } = process.env;
    child = spawn('npm', ['start'], {
      cwd: workspaceRoot,
      detached: true, // a process group, which is killed as a whole below
      env: {
        ...environment,
        JAVA_HOME: '/nonexistent',
        PORT_OPS_INTAKE: String(opsIntake),
        PORT_RELEASE_WEB: String(releaseWeb),
        PORT_IP_LOCATE: String(ipLocate),
        KAFKA_PORT: String(kafka),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve, reject) => {
      createInterface(child.stdout!).on('line', (line) => {
        lines.push(line);
        if (line.startsWith('All up.')) resolve();
      });
      child.once('close', (code) => reject(new Error(`npm start ended with ${code}:\n${lines.join('\n')}`)));
    });
  });
  afterAll(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
  });

  it('runs Kafka in a container', async () => {
    expect(lines.join('\n')).toMatch(/starting in a container[^]*ready at localhost/);
    expect(containers(broker)).toHaveLength(1);
    const answer = await fetch(`http://127.0.0.1:${intake}/operations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '[{"operation":"buy","unit-cost":10.00,"quantity":100}]',
    });
    expect(answer.status).toBe(202);
    // Docker before version 28 would let neighbours reach a published port by the container's address.
    expect(
      execFileSync('docker', ['inspect', '--format', '{{.NetworkSettings.IPAddress}}', broker]).toString(),
    ).toBe('\n');
    const listening = execFileSync('ss', ['-Hltn', `sport = :${broker.slice('kafka-'.length)}`], {
      encoding: 'utf8',
    });
    expect(listening).toMatch(/^LISTEN.* (\[::ffff:)?127\.0\.0\.1\]?:/);
    expect(listening.trim().split('\n')).toHaveLength(1);
  });

  it('leaves no container when it is killed', async () => {
    process.kill(-child.pid!, 'SIGKILL');
    await once(child, 'exit');
    await eventually('end of the container', () => (containers(broker).length === 0 ? true : undefined));
  });
});
