import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually, freePort, isFree, workspaceRoot } from '@workspace/testing';
import { describeWithKafka } from '../src/describe-with-kafka.ts';

/** Where the starters put their data: no other test's brokers come and go here. */
const temporary = mkdtempSync(join(tmpdir(), 'left-behind-'));
afterAll(() => rmSync(temporary, { recursive: true }));

const run = (file: string, env: NodeJS.ProcessEnv = {}): ChildProcess =>
  spawn(process.execPath, ['--import', 'tsx', file], {
    cwd: join(workspaceRoot, 'libs/kafka-broker'),
    env: { ...process.env, TMPDIR: temporary, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });

const lineOf = async (child: ChildProcess, matching: RegExp): Promise<string> => {
  for await (const line of createInterface({ input: child.stdout! })) if (matching.test(line)) return line;
  throw new Error(`ended without a line like ${String(matching)}`);
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describeWithKafka('nothing is left behind', () => {
  it('when the starter is killed with -9', async () => {
    const starter = run('e2e/starter.ts');
    const { pid, folder, port } = JSON.parse(await lineOf(starter, /^\{/)) as {
      pid: number;
      folder: string;
      port: number;
    };
    expect(isAlive(pid)).toBe(true);
    expect(existsSync(join(folder, 'data-1'))).toBe(true);
    starter.kill('SIGKILL');
    await eventually('end of the broker', () => !isAlive(pid));
    await eventually('removal of its folder', () => !existsSync(folder));
    expect(await isFree(port)).toBe(true);
  });

  it('when the starter is killed with -9 while the broker starts', async () => {
    const starter = run('e2e/starter.ts');
    const configured = (name: string): boolean => existsSync(join(temporary, name, 'server-1.properties'));
    await eventually('configuration', () => kafkaFolders().some(configured));
    starter.kill('SIGKILL');
    await eventually('removal of its folder', () => kafkaFolders().length === 0);
  });

  it('when nx serve kafka-broker gets Ctrl-C', async () => {
    const port = await freePort();
    const serve = run('src/main.ts', { KAFKA_PORT: String(port) });
    const line = await lineOf(serve, /answers on/);
    expect(line).toContain(`localhost:${port}`);
    const folder = /in (\S+)\. Press Ctrl/.exec(line)![1]!;
    expect(existsSync(folder)).toBe(true);
    const exited = once(serve, 'exit');
    serve.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
    expect(existsSync(folder)).toBe(false);
    expect(await isFree(port!)).toBe(true);
  });
});

const kafkaFolders = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('kafka-'));
