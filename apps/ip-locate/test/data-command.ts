import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataOption } from '../src/cli/data-option.ts';
import { runDataCommand } from '../src/cli/data-command.ts';
import { NOW } from './databases.ts';

/** A folder and a server for each test of a file, and `ip-locate-data` in this process. */
export class DataCommandTest {
  folder = '';
  /** of the server */
  origin = '';
  out: string[] = [];
  notes: string[] = [];
  progress: string[] = [];
  #server: Server | undefined;

  constructor(answer: RequestListener) {
    beforeEach(async () => {
      this.folder = mkdtempSync(join(tmpdir(), 'ip-locate-data-'));
      [this.#server, this.origin] = await listening(answer);
    });
    afterEach(() => {
      this.#server?.closeAllConnections();
      this.#server?.close();
      rmSync(this.folder, { recursive: true });
    });
  }

  run(
    args: readonly string[],
    options: readonly DataOption[],
    { env = {}, now = NOW }: { env?: Readonly<Record<string, string>>; now?: Date } = {},
  ): Promise<number> {
    this.out = [];
    this.notes = [];
    this.progress = [];
    return runDataCommand(args, {
      terminal: {
        out: (text) => Promise.resolve(void this.out.push(...text.split('\n'))),
        note: (line) => void this.notes.push(line),
        progress: (line) => void this.progress.push(line),
      },
      env,
      now,
      version: '1.2.3',
      options,
    });
  }
}

/** A server on this machine, and its origin. */
export const listening = async (answer: RequestListener): Promise<[Server, string]> => {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
};
