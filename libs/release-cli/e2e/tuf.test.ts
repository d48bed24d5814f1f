import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith, pythonProgram, runTool } from '@workspace/testing';
import { addSignature, Repository } from '../src/tuf/repository.ts';
import { nextRoot, nextSnapshot, nextTimestamp } from '../src/tuf/edits.ts';
import { publicKeyOf, signWithFile } from '../src/tuf/keys.ts';
import { cli } from '../test/run-cli.ts';
import { writeExport } from '../test/signed-export.ts';

const PATH = 'site/releases/active.php';
const GOOD = '{"sha256":"aaaa"}';
const NEWER = '{"sha256":"bbbb"}';
const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'tuf-'));
const repository = join(folder, 'repository');
const exported = join(folder, 'export');

/** Keys of people and of the machine that signs snapshots and timestamps; two kinds of them. */
const PEOPLE = ['alice', 'bob', 'carol', 'dave', 'online', 'thief'];
const pem = (name: string): string => join(folder, `${name}.pem`);
const makeKeys = (): void => {
  for (const [index, name] of PEOPLE.entries()) {
    const { privateKey } =
      index % 2 === 0 ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(pem(name), privateKey.export({ format: 'pem', type: 'pkcs8' }));
  }
};

const tuf = async (args: string[], now = new Date()): Promise<string> => {
  const { code, out, notes } = await cli(folder, ['tuf', ...args], { now });
  if (code !== 0) throw new Error(notes || out);
  return out;
};

const signedTargets = async (content: string, now = new Date(), ...more: string[]): Promise<void> => {
  writeExport(exported, { [PATH]: content });
  await tuf(['targets', repository, '--export', exported, ...more], now);
  await tuf(['sign', repository, 'targets', '--key', pem('alice')], now);
};

/** A server of the repository that may lie. */
let lies: Record<string, string | Buffer | 'endless'> = {};
let sent = 0;
const serve = (): Server =>
  createServer((request, response) => {
    const path = decodeURIComponent(request.url!);
    const lie = lies[path];
    if (lie === 'endless') {
      const chunk = Buffer.alloc(65_536, ' ');
      const write = (): void => {
        while (!response.destroyed && sent < 500_000_000) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
        response.end();
      };
      return write();
    }
    try {
      response.end(lie ?? readFileSync(join(repository, path)));
    } catch {
      response.writeHead(404).end();
    }
  });

type Client = (state: string) => Promise<string>;

describeWith(['go', 'python3'], 'a signed export', () => {
  const server = serve();
  let clients: Record<string, Client>;
  const trusted = join(folder, 'trusted-root.json');
  let saved = 0;
  const save = (): string => {
    const to = join(folder, `saved-${(saved += 1)}`);
    cpSync(repository, to, { recursive: true });
    return to;
  };
  const restore = (from: string): void => {
    rmSync(repository, { recursive: true });
    cpSync(from, repository, { recursive: true });
  };
  const file = (name: string): Buffer => readFileSync(join(repository, 'metadata', name));

  beforeAll(async () => {
    makeKeys();
    const roots = ['alice', 'bob', 'carol'].flatMap((name) => ['--add', `root=${pem(name)}`]);
    await tuf([
      ...['root', repository, ...roots, '--threshold', 'root=2', '--add', `targets=${pem('alice')}`],
      ...['--add', `targets=${pem('bob')}`, '--add', `snapshot=${pem('online')}`],
      ...['--add', `timestamp=${pem('online')}`],
    ]);
    await tuf(['sign', repository, 'root', '--key', pem('alice')]);
    await tuf(['sign', repository, 'root', '--key', pem('bob')]);
    writeFileSync(trusted, file('1.root.json'));
    await signedTargets(GOOD);
    await tuf(['publish', repository, '--key', pem('online')]);

    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const urls = [`${base}/metadata/`, `${base}/targets/`];
    const go = join(folder, 'go');
    cpSync(join(import.meta.dirname, 'tuf'), go, { recursive: true });
    const [python] = await Promise.all([
      pythonProgram('python', 'tuf'),
      runTool('go', ['build', '-C', go, '-o', 'client', '.']),
    ]);
    const program = (name: string): string => join(import.meta.dirname, 'tuf', name);
    clients = {
      'python-tuf': (state) => runTool(python, [program('client.py'), ...urls, state, trusted, PATH]),
      'tuf-js': (state) => runTool(process.execPath, [program('client.js'), ...urls, state, trusted, PATH]),
      'go-tuf': (state) => runTool(join(go, 'client'), [...urls, state, trusted, PATH]),
    };
  });

  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  let states = 0;
  /** The folders in which the clients keep what they have seen. */
  const newStates = (): string => join(folder, `state-${(states += 1)}`);
  const fetchAll = (state: string): Promise<PromiseSettledResult<string>[]> =>
    Promise.allSettled(Object.entries(clients).map(([name, client]) => client(join(state, name))));
  const expectAll = async (state: string, content: string): Promise<void> => {
    const value = { status: 'fulfilled', value: content };
    expect(await fetchAll(state)).toEqual([value, value, value]);
  };
  /** @param reason that each of them has to give */
  const expectNone = async (state: string, reason: RegExp): Promise<void> => {
    const results = await fetchAll(state);
    expect(
      results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason))),
    ).toEqual(results.map(() => expect.stringMatching(reason)));
  };

  /** Undoes what a test does to the repository. */
  const attacked = async (attack: () => Promise<void>): Promise<void> => {
    const before = save();
    try {
      await attack();
    } finally {
      restore(before);
      lies = {};
    }
  };

  it('is fetched and verified by python-tuf, tuf-js and go-tuf', () => expectAll(newStates(), GOOD));

  it('is followed through new files and new keys, one of them kept by a command', () =>
    attacked(async () => {
      const state = newStates();
      await expectAll(state, GOOD);
      const [alice] = [publicKeyOf(pem('alice')).keyID];
      await tuf([
        ...['root', repository, '--remove', `root=${alice}`, '--add', `root=${pem('dave')}`],
        ...['--remove', `targets=${alice.slice(0, 8)}`, '--add', `targets=${pem('dave')}`],
      ]);
      await tuf(['sign', repository, 'root', '--key', pem('bob')]);
      expect(await tuf(['sign', repository, 'root', '--key', pem('dave')])).toContain('1 more');
      expect(await tuf(['sign', repository, 'root', '--key', pem('carol')])).toContain('root 2 is published');
      await expect(tuf(['publish', repository, '--key', pem('online')])).rejects.toThrow('not signed by');
      writeExport(exported, { [PATH]: NEWER });
      await tuf(['targets', repository, '--export', exported]);
      await expect(tuf(['sign', repository, 'targets', '--key', pem('alice')])).rejects.toThrow('No key');
      await tuf([
        ...['sign', repository, 'targets'],
        ...['--sign-with', `openssl dgst -sha256 -sign '${pem('dave')}'`],
      ]);
      await tuf(['publish', repository, '--key', pem('online')]);
      await expectAll(state, NEWER);
      await expectAll(newStates(), NEWER);
    }));

  it('cannot be rolled back', () =>
    attacked(async () => {
      const state = newStates();
      const old = save();
      await signedTargets(NEWER);
      await tuf(['publish', repository, '--key', pem('online')]);
      await expectAll(state, NEWER);
      restore(old);
      await expectNone(state, /version/i);
    }));

  it('cannot be frozen: a timestamp expires', () =>
    attacked(async () => {
      await tuf(['publish', repository, '--key', pem('online')], new Date(Date.now() - 3 * DAY_MS));
      await expectNone(newStates(), /expired/i);
    }));

  it('cannot be forged with one key of the root', () =>
    attacked(async () => {
      const held = new Repository(repository);
      const before = await held.root();
      const thief = publicKeyOf(pem('thief'));
      const forged = nextRoot(
        before,
        {
          add: [
            ['root', thief],
            ['targets', thief],
            ['timestamp', thief],
          ],
          remove: [],
          thresholds: new Map([['root', 1]]),
        },
        { now: new Date(), days: 30 },
      );
      addSignature(forged, 'root', [before], signWithFile(pem('alice')));
      addSignature(forged, 'root', [forged], signWithFile(pem('thief')));
      await held.publish('root', forged);
      await expectNone(newStates(), /sign/i);
    }));

  it('cannot be forged with the online key', () =>
    attacked(async () => {
      const held = new Repository(repository);
      const root = await held.root();
      const expiry = { now: new Date(), days: 2 };
      writeExport(exported, { [PATH]: NEWER });
      await tuf(['targets', repository, '--export', exported]);
      const targets = (await held.staged('targets'))!;
      const online = publicKeyOf(pem('online'));
      // As if it were a key of the targets: the signature itself is right.
      const lax = nextRoot(root, { add: [['targets', online]], remove: [], thresholds: new Map() }, expiry);
      addSignature(targets, 'targets', [lax], signWithFile(pem('online')));
      await held.publish('targets', targets);
      for (const [role, next] of [
        ['snapshot', nextSnapshot],
        ['timestamp', nextTimestamp],
      ] as const) {
        const metadata = await next(held, expiry);
        addSignature(metadata, role, [root], signWithFile(pem('online')));
        await held.publish(role, metadata);
      }
      await expectNone(newStates(), /sign/i);
    }));

  it('is followed again with another online key, after a thief has counted far ahead with the old one', () =>
    attacked(async () => {
      const state = newStates();
      const held = new Repository(repository);
      const root = await held.root();
      const ahead = await nextTimestamp(held, { now: new Date(), days: 2 });
      Object.assign(ahead.signed, { version: 1000 });
      addSignature(ahead, 'timestamp', [root], signWithFile(pem('online')));
      lies = { '/metadata/timestamp.json': JSON.stringify(ahead.toJSON()) };
      await expectAll(state, GOOD);
      lies = {};
      await expectNone(state, /version/i);
      const online = publicKeyOf(pem('online')).keyID;
      const replaced = ['snapshot', 'timestamp'].flatMap((role) => [
        ...['--remove', `${role}=${online}`, '--add', `${role}=${pem('dave')}`],
      ]);
      await tuf(['root', repository, ...replaced]);
      await tuf(['sign', repository, 'root', '--key', pem('alice')]);
      await tuf(['sign', repository, 'root', '--key', pem('carol')]);
      await tuf(['publish', repository, '--key', pem('dave')]);
      await expectAll(state, GOOD);
    }));

  it('cannot keep a client reading for ever', () =>
    attacked(async () => {
      const [name] = readdirSync(join(repository, 'targets/site/releases'));
      for (const path of [
        '/metadata/timestamp.json',
        '/metadata/1.snapshot.json',
        `/targets/site/releases/${name}`,
      ]) {
        lies = { [path]: 'endless' };
        sent = 0;
        await expectNone(newStates(), /length|size|exceed/i);
        // What three clients may have buffered before they closed the connection.
        expect([path, sent < 60_000_000]).toEqual([path, true]);
      }
    }));
});
