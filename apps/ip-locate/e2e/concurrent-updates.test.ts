import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { builtFile } from '@workspace/testing';
import { cityMmdb, munich } from '../test/databases.ts';
import { startService } from './service.ts';

/** A file that takes many writes to arrive. */
const padded = (epoch: number): Buffer =>
  cityMmdb({
    epoch,
    entries: [
      ['8.0.0.0/8', munich],
      ...Array.from({ length: 20_000 }, (_, n): [string, typeof munich] => [
        `80.${n >> 8}.${n & 255}.0/24`,
        { city: { names: { en: `Town ${n}` } } },
      ]),
    ],
  });
const DAY = 86_400;
const YESTERDAY = Math.floor(Date.now() / 1000) - DAY;

describe('several ip-locate-data update at once', () => {
  let folder: string;
  let server: Server;
  let mirror: string;
  let bytes: Buffer;
  /** called with each answer that has begun; the rest is sent when it resolves */
  let half: (response: ServerResponse) => Promise<void>;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ip-locate-data-'));
    bytes = padded(YESTERDAY);
    half = () => Promise.resolve();
    server = createServer((request, response) => {
      const etag = `"${bytes.length}-${bytes.indexOf('build_epoch')}-${bytes.toString('hex', bytes.length - 40)}"`;
      if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
      response.writeHead(200, { etag, 'content-length': bytes.length });
      const middle = bytes.length >> 1;
      response.write(bytes.subarray(0, middle));
      void half(response).then(() => response.end(bytes.subarray(middle)));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  const start = (): ChildProcess =>
    spawn(process.execPath, [
      builtFile('ip-locate', 'ip-locate-data.js'),
      ...['update', '--folder', folder, '--mirror', mirror, '--databases', 'city'],
    ]);
  const result = async (child: ChildProcess) => {
    const [out, error, [code]] = await Promise.all([
      text(child.stdout!),
      text(child.stderr!),
      once(child, 'close') as Promise<[number]>,
    ]);
    return { code, output: `${out}${error}`.replace(/^.*city.mmdb: /gm, '').replace(/, data.*\n/g, '') };
  };

  it('wait for each other: one downloads, and the others find its file', async () => {
    const results = await Promise.all([start(), start(), start()].map(result));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(results.map(({ output }) => output).sort()).toEqual([
      'already current',
      'already current',
      'updated',
    ]);
    expect(readFileSync(join(folder, 'city.mmdb')).equals(bytes)).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['city.mmdb', 'city.mmdb.lock', 'city.mmdb.source']);
  });

  it('and one that is killed leaves no lock: the next continues', async () => {
    const begun = new Promise<void>((resolve) => {
      half = () => {
        resolve();
        return new Promise(() => undefined);
      };
    });
    const killed = start();
    const exited = once(killed, 'exit');
    await begun;
    const waiting = start();
    half = () => Promise.resolve();
    killed.kill('SIGKILL');
    await exited;
    expect(await result(waiting)).toMatchObject({ code: 0, output: 'updated' });
    expect(readFileSync(join(folder, 'city.mmdb')).equals(bytes)).toBe(true);
  });

  it('a service that reloads meanwhile never sees half a file', async () => {
    expect((await result(start())).code).toBe(0);
    const service = await startService({
      DATABASE_PATH: join(folder, 'city.mmdb'),
      FILE_POLL_MS: '500',
    });
    try {
      for (let round = 1; round <= 3; round++) {
        bytes = padded(YESTERDAY + round);
        const updates = Promise.all([start(), start(), start()].map(result));
        let running = true;
        void updates.then(() => (running = false));
        while (running) {
          const loaded = service.nextLine('data files loaded');
          service.child.kill('SIGHUP');
          await loaded;
        }
        expect((await updates).map(({ code }) => code)).toEqual([0, 0, 0]);
      }
      const problems = service.lines.filter(
        ({ level, msg }) =>
          (level === 'error' || level === 'warn') && !msg.startsWith('the bundled data is old'),
      );
      expect(problems).toEqual([]);
    } finally {
      await service.stop();
    }
  });
});
