import { generateKeyPairSync } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { publicKeyOf } from '../src/tuf/keys.ts';
import { prune } from '../src/tuf/targets.ts';
import { Repository } from '../src/tuf/repository.ts';
import { cli, type CliRun } from './run-cli.ts';
import { writeExport } from './signed-export.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-11-21T12:00:00Z');
const FILE = 'site/releases/active.php';

/** A repository, with one person who has all keys, and its clock. */
class Place {
  readonly folder = mkdtempSync(join(tmpdir(), 'tuf-'));
  readonly repository = join(this.folder, 'repository');
  readonly exported = join(this.folder, 'export');
  now = START;

  constructor() {
    for (const name of ['alice', 'bob']) this.write(name, generateKeyPairSync('ed25519').privateKey);
  }

  write(name: string, key: ReturnType<typeof generateKeyPairSync>['privateKey']): string {
    const file = join(this.folder, `${name}.pem`);
    writeFileSync(file, key.export({ format: 'pem', type: 'pkcs8' }));
    return file;
  }

  key = (name = 'alice'): string => join(this.folder, `${name}.pem`);

  run = (step: string, ...args: string[]): Promise<CliRun> =>
    cli(this.folder, ['tuf', step, this.repository, ...args], { now: new Date(this.now) });

  async must(step: string, ...args: string[]): Promise<string> {
    const { code, out, notes } = await this.run(step, ...args);
    expect([code, notes]).toEqual([0, '']);
    return out;
  }

  async open(): Promise<this> {
    const roles = ['root', 'targets', 'snapshot', 'timestamp'];
    await this.must(
      'root',
      ...roles.flatMap((role) => ['--add', `${role}=${this.key()}`]),
      ...['--threshold', 'root=1', '--expires-in', '3650'],
    );
    await this.must('sign', 'root', '--key', this.key());
    return this;
  }

  async stage(content: string): Promise<void> {
    writeExport(this.exported, { [FILE]: content, 'export.json': '{}', 'site/other': 'not signed itself' });
    await this.must('targets', '--export', this.exported);
  }

  sign = (): Promise<CliRun> => this.run('sign', 'targets', '--key', this.key());
  publish = (): Promise<CliRun> => this.run('publish', '--key', this.key());

  /** Puts an export into a snapshot. */
  async release(content: string): Promise<void> {
    await this.stage(content);
    expect(await this.sign()).toMatchObject({ code: 0 });
    expect(await this.publish()).toMatchObject({ code: 0 });
  }

  path = (...names: string[]): string => join(this.repository, ...names);
  metadata = (): string[] => readdirSync(this.path('metadata')).sort();
  files = (): string[] =>
    readdirSync(this.path('targets'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name.replace(/^[0-9a-f]{64}\./, ''))
      .sort();

  close = (): void => rmSync(this.folder, { recursive: true });
}

let place: Place;
beforeEach(async () => (place = await new Place().open()));
afterEach(() => place.close());

it('signs the digests of all files, and those files that an import reads', async () => {
  await place.release('{}');
  expect(place.files()).toEqual(['SHA256SUMS', 'active.php', 'export.json']);
  const { signed } = JSON.parse(readFileSync(place.path('metadata/1.targets.json'), 'utf8'));
  expect(Object.keys(signed.targets).sort()).toEqual(['SHA256SUMS', 'export.json', FILE]);
});

it.each([
  ['is altered after the export', FILE, 'is not what SHA256SUMS says'],
  ['has no digests', 'SHA256SUMS', 'is not an export'],
])('signs nothing of an export that %s', async (_name, file, reason) => {
  writeExport(place.exported, { [FILE]: '{}' });
  rmSync(join(place.exported, file));
  if (file === FILE) writeFileSync(join(place.exported, file), '{"other":1}');
  const { code, notes } = await place.run('targets', '--export', place.exported);
  expect([code, notes]).toEqual([1, expect.stringContaining(reason)]);
  expect(existsSync(place.path('staged/targets.json'))).toBe(false);
});

it.each(['removed', 'altered'])('publishes no list of which a file is %s', async (how) => {
  await place.stage('{}');
  await place.sign();
  const folder = place.path('targets/site/releases');
  const [name] = readdirSync(folder);
  rmSync(join(folder, name!));
  if (how === 'altered') writeFileSync(join(folder, name!), '[]');
  const { code, notes } = await place.publish();
  expect([code, notes]).toEqual([1, expect.stringContaining('missing or altered')]);
  expect(place.metadata()).toEqual(['1.root.json', '1.targets.json']);
});

it('publishes no root that expired while it waited for signatures: clients would reject everything', async () => {
  await place.must('root', '--expires-in', '1');
  place.now += 2 * DAY_MS;
  const { code, notes } = await place.run('sign', 'root', '--key', place.key());
  expect([code, notes]).toEqual([1, expect.stringContaining('root 2 expired at')]);
  expect(place.metadata()).toEqual(['1.root.json']);
});

it('removes what no client can use any more, and no root', async () => {
  await place.release('{"a":1}');
  await place.release('{"a":2}');
  place.now += 6 * DAY_MS;
  expect((await place.publish()).out).not.toContain('removed');
  expect(place.metadata()).toContain('1.snapshot.json');
  await place.stage('{"a":3}');
  place.now += 2 * DAY_MS;
  // One snapshot, one list, its SHA256SUMS and its table; export.json is the same.
  expect((await place.publish()).out).toContain('5 old files removed');
  expect(place.metadata()).toEqual(['1.root.json', '2.targets.json', '3.snapshot.json', 'timestamp.json']);
  // Of the second list and of the staged one.
  expect(place.files()).toEqual(['SHA256SUMS', 'SHA256SUMS', 'active.php', 'active.php', 'export.json']);
});

it('removes no list that is signed while another is published', async () => {
  await place.release('{"a":1}');
  await place.stage('{"a":2}');
  await place.sign();
  expect(await prune(new Repository(place.repository), new Date(place.now))).toBe(0);
});

it('keeps the signatures of two people who sign at once', async () => {
  await place.must('root', '--add', `targets=${place.key('bob')}`, '--threshold', 'targets=2');
  await place.must('sign', 'root', '--key', place.key());
  await place.stage('{}');
  const runs = await Promise.all(
    ['alice', 'bob'].map((name) => place.run('sign', 'targets', '--key', place.key(name))),
  );
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  expect(place.metadata()).toContain('1.targets.json');
});

it('adds the signatures that people have made on other machines', async () => {
  await place.must('root', '--add', `targets=${place.key('bob')}`, '--threshold', 'targets=2');
  await place.must('sign', 'root', '--key', place.key());
  await place.stage('{}');
  const copies = ['alice', 'bob'].map((name) => {
    const copy = join(place.folder, `of-${name}`);
    cpSync(place.repository, copy, { recursive: true });
    return copy;
  });
  for (const [at, name] of ['alice', 'bob'].entries())
    await cli(place.folder, ['tuf', 'sign', copies[at]!, 'targets', '--key', place.key(name)]);
  const [ofAlice, ofBob] = copies.map((copy) => join(copy, 'staged/targets.json'));
  expect(await place.must('sign', 'targets', '--signed', ofAlice!)).toContain('1 more signatures');
  expect(await place.must('sign', 'targets', '--signed', ofAlice!)).toContain('1 more signatures');
  expect(await place.must('sign', 'targets', '--signed', ofBob!)).toContain('targets 1 is published');
});

it('adds no signature of something else, and none by another key', async () => {
  const copy = join(place.folder, 'copy.json');
  const rejected = { code: 1, notes: expect.stringContaining('no signature of what is staged by a key') };
  await place.stage('{}');
  cpSync(place.path('staged/targets.json'), copy);
  expect(await place.run('sign', 'targets', '--signed', copy)).toMatchObject(rejected);
  await place.sign();
  cpSync(place.path('metadata/1.targets.json'), copy);
  await place.stage('{"a":1}');
  expect(await place.run('sign', 'targets', '--signed', copy)).toMatchObject(rejected);
  writeFileSync(copy, 'no metadata');
  const { code, notes } = await place.run('sign', 'targets', '--signed', copy);
  expect([code, notes]).toEqual([1, expect.stringContaining('is not metadata of the role targets')]);
  expect(place.metadata()).not.toContain('2.targets.json');
});

it('publishes nothing once the targets or the root have expired, because every client rejects that', async () => {
  const publishAfter = async (days: number) => {
    place.now = START + days * DAY_MS;
    const before = place.metadata().map((name) => readFileSync(place.path('metadata', name), 'utf8'));
    const { code, notes } = await place.publish();
    const after = place.metadata().map((name) => readFileSync(place.path('metadata', name), 'utf8'));
    return { code, notes, isUnchanged: before.join() === after.join() };
  };
  await place.release('{}');
  expect(await publishAfter(89)).toMatchObject({ code: 0, isUnchanged: false });
  expect(await publishAfter(90)).toMatchObject({
    code: 1,
    notes: expect.stringContaining('targets 1 expired at 2027-02-19T12:00:00Z'),
    isUnchanged: true,
  });
  await place.stage('{}');
  await place.must('sign', 'targets', '--key', place.key());
  expect(await publishAfter(91)).toMatchObject({ code: 0 });
  expect(await publishAfter(3650)).toMatchObject({
    code: 1,
    notes: expect.stringContaining('root 1 expired at'),
    isUnchanged: true,
  });
});

it('stages one root whole when several make the first one at once', async () => {
  const repository = join(place.folder, 'not', 'yet');
  const keys = ['alice', 'bob'].flatMap((name) =>
    ['root', 'targets', 'snapshot', 'timestamp'].map((role) => [name, role]),
  );
  const runs = await Promise.all(
    Array.from({ length: 8 }, (_, at) => {
      const some = keys
        .slice(0, at % 2 === 0 ? 4 : 8)
        .flatMap(([name, role]) => ['--add', `${role}=${place.key(name)}`]);
      return cli(place.folder, ['tuf', 'root', repository, ...some, '--threshold', 'root=1']);
    }),
  );
  expect(runs.map(({ code, notes }) => [code, notes])).toEqual(Array(8).fill([0, '']));
  expect(await new Repository(repository).staged('root')).toBeDefined();
  expect(readdirSync(join(repository, 'staged'))).toEqual(['root.json']);
});

it('makes no folder for a root that cannot be', async () => {
  const repository = join(place.folder, 'not-yet');
  expect(await cli(place.folder, ['tuf', 'root', repository])).toMatchObject({
    code: expect.any(Number),
    out: '',
  });
  expect(existsSync(repository)).toBe(false);
});

it('publishes one after the other when several publish at once', async () => {
  await place.release('{"a":1}');
  await place.stage('{"a":2}');
  await place.sign();
  const runs = await Promise.all([place.publish(), place.publish(), place.publish()]);
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
  const lines = runs.flatMap(({ out }) => out.match(/^(snapshot|timestamp) \d+/gm));
  expect(lines.sort()).toEqual(['snapshot 2', 'timestamp 2', 'timestamp 3', 'timestamp 4']);
});

it('keeps, in any order of steps, all that a timestamp in use leads to', async () => {
  const json = (...names: string[]) => JSON.parse(readFileSync(join(...names), 'utf8')).signed;
  /** What a client finds missing that has a timestamp. */
  const missing = (at: Place, timestamp: { meta: Record<string, { version: number }> }): string[] => {
    const snapshot = json(at.path(`metadata/${timestamp.meta['snapshot.json']!.version}.snapshot.json`));
    const list = json(at.path(`metadata/${snapshot.meta['targets.json'].version}.targets.json`));
    return Object.entries<{ hashes: { sha256: string } }>(list.targets)
      .map(([path, { hashes }]) => path.replace(/[^/]+$/, (name) => `${hashes.sha256}.${name}`))
      .filter((path) => !existsSync(at.path('targets', path)));
  };
  const steps = fc.array(
    fc.oneof(
      fc.record({ step: fc.constant('stage' as const), value: fc.nat(3) }),
      fc.record({ step: fc.constantFrom('sign' as const, 'publish' as const), value: fc.constant(0) }),
      fc.record({ step: fc.constant('wait' as const), value: fc.integer({ min: 1, max: 60 }) }),
    ),
    { minLength: 5, maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const at = await new Place().open();
      const timestamps: { expires: string; meta: Record<string, { version: number }> }[] = [];
      try {
        await at.release('{}');
        for (const { step, value } of all) {
          if (step === 'stage') await at.stage(`{"a":${value}}`);
          else if (step === 'wait') at.now += value * 4 * 3_600_000;
          else await at[step]();
          timestamps.push(json(at.path('metadata/timestamp.json')));
          for (const timestamp of timestamps.filter(({ expires }) => Date.parse(expires) > at.now))
            expect(missing(at, timestamp)).toEqual([]);
        }
      } finally {
        at.close();
      }
    }),
    { numRuns: 15, seed: 1 },
  );
});

it('tells by its exit code what expires soon and what waits for signatures', async () => {
  await place.release('{}');
  expect(await place.run('status')).toMatchObject({ code: 0 });
  expect(await place.run('status', '--within', '3')).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^timestamp .*EXPIRES SOON/m),
  });
  await place.stage('{"a":1}');
  expect(await place.run('status')).toMatchObject({
    code: 1,
    out: expect.stringContaining('staged: targets 2; 1 more signatures are needed'),
  });
});

it('reports nothing as staged that a command had published when it was killed', async () => {
  await place.release('{}');
  await place.stage('{"a":1}');
  const staged = readFileSync(place.path('staged/targets.json'));
  await place.sign();
  await place.publish();
  writeFileSync(place.path('staged/targets.json'), staged);
  expect(await place.run('status')).toMatchObject({ code: 0, out: expect.not.stringContaining('staged') });
});

it('has the targets on the disk before people sign them', async () => {
  const handle = await open(place.key());
  const synced: number[] = [];
  const sync = jest
    .spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync')
    .mockImplementation(async function (this: FileHandle) {
      synced.push((await this.stat()).ino);
    });
  try {
    await place.stage('{}');
  } finally {
    sync.mockRestore();
    await handle.close();
  }
  const folders = ['targets', 'targets/site/releases'].map((name) => place.path(name));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [join(folder, entry.name)] : [],
    ),
  );
  expect(files).toHaveLength(3);
  const unsafe = [...folders, ...files].filter((path) => !synced.includes(statSync(path).ino));
  expect(unsafe).toEqual([]);
});

it('counts a person once, and a root only with the keys of the one before it', async () => {
  await place.must('root', '--add', `root=${place.key('bob')}`, '--threshold', 'root=2');
  expect(await place.must('sign', 'root', '--key', place.key('bob'))).toContain('1 more signatures');
  expect(await place.must('sign', 'root', '--key', place.key('bob'))).toContain('1 more signatures');
  expect(await place.must('sign', 'root', '--key', place.key())).toContain('root 2 is published');
});

it('signs a list only as it follows the newest one', async () => {
  await place.stage('{}');
  const staged = readFileSync(place.path('staged/targets.json'));
  await place.sign();
  writeFileSync(place.path('staged/targets.json'), staged);
  expect(await place.sign()).toMatchObject({ code: 1, notes: expect.stringContaining('stage it again') });
});

it('publishes no snapshot with a key that may not sign the timestamp', async () => {
  await place.must('root', '--remove', `timestamp=${place.key()}`, '--add', `timestamp=${place.key('bob')}`);
  await place.must('sign', 'root', '--key', place.key());
  await place.stage('{}');
  await place.sign();
  const before = place.metadata();
  expect(await place.publish()).toMatchObject({ code: 1, notes: expect.stringContaining('role timestamp') });
  expect(place.metadata()).toEqual(before);
});

it('reports a command that does not sign, and one that signs with another key', async () => {
  await place.stage('{}');
  const sign = (command: string) => place.run('sign', 'targets', '--sign-with', command);
  expect(await sign('echo no card >&2; exit 3')).toMatchObject({
    code: 1,
    notes: expect.stringContaining('ended with 3: no card'),
  });
  expect(await sign('echo 123')).toMatchObject({ code: 1, notes: expect.stringContaining('No key') });
  expect(await place.run('sign', 'targets', '--key', place.key('bob'))).toMatchObject({ code: 1 });
  expect(existsSync(place.path('metadata/1.targets.json'))).toBe(false);
});

it('takes no key that clients do not know', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const file = place.write('rsa', privateKey);
  expect(await place.run('root', '--add', `root=${file}`)).toMatchObject({ code: 1 });
  expect(await place.run('root', '--remove', 'root=')).toMatchObject({ code: 1 });
  expect(await place.run('root', '--remove', `root=${'0'.repeat(12)}`)).toMatchObject({ code: 1 });
  writeFileSync(file, 'no key');
  expect(await place.run('root', '--add', `root=${file}`)).toMatchObject({ code: 1 });
});

it.each([
  [
    '0c5e57544428f1d64ccd6b0af0c776d829437919dcd901dbe4c02b7a50681a3e',
    'MCowBQYDK2VwAyEA/JV5b+UnCjCUzwEqbyHvmyyfpAe6Cd0KgAcuM/tIboQ=',
  ],
  [
    'e030b6786aba88995ae641da3232ab649453cfdc9e11c7c045e41de98e9ee698',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEjJHfaFEj9PtP3sPshTW+y1Zc4Ci2\nR39+DxCf4cbrHCi3VMu2Ld1xt8mrIG0vdmuEf4NGY2UqYZQYxjBgnUZJTQ==',
  ],
])('names a key by the digest of its canonical JSON: %s', (keyID, encoded) => {
  writeFileSync(place.key(), `-----BEGIN PUBLIC KEY-----\n${encoded}\n-----END PUBLIC KEY-----\n`);
  expect(publicKeyOf(place.key())).toMatchObject({ keyID });
});

it.each([
  [['tuf']],
  [['tuf', 'delegate', 'folder']],
  [['tuf', 'root']],
  [['tuf', 'status', 'folder', 'more']],
  [['tuf', 'root', 'folder', '--add', 'mirror=a.pem']],
  [['tuf', 'root', 'folder', '--threshold', 'root=0']],
  [['tuf', 'root', 'folder', '--expires-in', '4000']],
  [['tuf', 'sign', 'folder', 'timestamp', '--key', 'a.pem']],
  [['tuf', 'fetch', 'http://127.0.0.1/tuf']],
  [['tuf', 'fetch', 'http://127.0.0.1/tuf', 'SHA256SUMS', '--root', 'a.json']],
])('rejects the command line %j', async (args) => {
  expect(await cli(place.folder, args)).toMatchObject({ code: 2 });
});

it('wants a root and a signer before it signs', async () => {
  await place.stage('{}');
  expect(await place.run('sign', 'targets')).toMatchObject({ code: 2 });
  const both = ['--key', place.key(), '--sign-with', 'true'];
  expect(await place.run('sign', 'targets', ...both)).toMatchObject({ code: 2 });
  const signedToo = ['--key', place.key(), '--signed', place.path('staged/targets.json')];
  expect(await place.run('sign', 'targets', ...signedToo)).toMatchObject({ code: 2 });
  rmSync(place.path('metadata'), { recursive: true });
  expect(await place.run('publish', '--key', place.key())).toMatchObject({ code: 1 });
  expect(await place.run('status')).toMatchObject({ code: 1 });
});
