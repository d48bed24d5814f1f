import { cpSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import {
  type BuiltService,
  clocksCanBeSet,
  createFakeClock,
  describeWith,
  type FakeClock,
  killServices,
  runTool,
  startBuiltService,
} from '@workspace/testing';
import { seededRandom } from '@workspace/testing/seeded-random';
import { type Nginx, startNginx } from './nginx.ts';
import { RELEASE_DATA } from './release-data.ts';

const FIXTURE = join(import.meta.dirname, '../test/fixtures/data');
const BASE_URL = 'https://releases.example';
const START = '2026-11-21T12:00:00Z';
const DAY_MS = 86_400_000;

/** Days of which an export is made: an ordinary one, two on which states change, and one on which the data is old. */
const DAYS = [START, '2026-12-31T00:00:00Z', '2027-12-31T00:00:00Z', '2027-01-11T09:00:00Z'];

const CODINGS = ['identity', 'gzip', 'gzip, deflate, br, zstd'];

interface Manifest {
  readonly valid_until: string;
  readonly answers: Readonly<Record<string, object>>;
  readonly redirects: Readonly<Record<string, { status: number }>>;
}

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const get = (base: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<Answer>((resolve, reject) => {
    const answered = async (response: IncomingMessage): Promise<void> =>
      resolve({ status: response.statusCode!, headers: response.headers, body: await buffer(response) });
    // Not fetch(), which would change the path and decompress the body.
    const { hostname, port } = new URL(base);
    request(
      { agent, hostname, port, path, headers, method },
      (response) => void answered(response).catch(reject),
    )
      .on('error', reject)
      .end();
  });

const COMPARED = [
  'access-control-allow-origin',
  'content-encoding',
  'content-security-policy',
  'content-type',
  'etag',
  'link',
  'location',
  'vary',
  'x-content-type-options',
  'x-stale-data',
];

/** What has to be the same: everything but the date, the link to the health and how long the answer is fresh. A redirect has no body that counts. */
const comparable = ({ status, headers, body }: Answer): unknown => ({
  status,
  ...Object.fromEntries(
    COMPARED.filter((name) => status === 200 || name === 'location' || name === 'x-content-type-options').map(
      (name) => [name, headers[name]],
    ),
  ),
  ...(status === 200 && { body: body.toString('latin1') }),
});

/** Three changes of two branches, as commands put them on record. */
const addChanges = (data: string): void => {
  for (const [branch, days] of [
    ['8.2', ['01', '03']],
    ['8.4', ['02']],
  ] as const) {
    const file = join(data, `branches/${branch}.json`);
    const text = JSON.parse(readFileSync(file, 'utf8')) as { audit: unknown[]; current: { version: string } };
    const { version } = text.current;
    text.audit = days.map((day) => ({
      at: `2026-08-${day}T09:00:00Z`,
      action: 'import',
      version,
      reason: 'a test',
    }));
    writeFileSync(file, JSON.stringify(text));
  }
};

/** A public key, so that there is a keyring. */
const addKey = (data: string): void => {
  const file = join(data, 'product.json');
  const product = JSON.parse(readFileSync(file, 'utf8')) as object;
  const public_key = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDME\n-----END PGP PUBLIC KEY BLOCK-----\n';
  const key = { fingerprint: 'A'.repeat(40), manager: 'calvinb', branches: ['8.4'], public_key };
  writeFileSync(file, JSON.stringify({ ...product, signing_keys: [key] }));
};

const needed = clocksCanBeSet() ? ['nginx'] : ['nginx', 'faketime'];

describeWith(needed, 'an export in nginx', () => {
  const folder = mkdtempSync(join(tmpdir(), 'export-'));
  const mirror = join(folder, 'mirror');
  const data = join(folder, 'data');
  let clock: FakeClock;
  const exportTo = (target: string, ...options: string[]): Promise<string> =>
    runTool('env', [
      ...Object.entries(clock.env).map(([name, value]) => `${name}=${value}`),
      'DATA_STALE_DAYS=150',
      process.execPath,
      RELEASE_DATA,
      ...['export', target, '--base-url', BASE_URL, '--data', data, ...options],
    ]);
  let service: BuiltService;
  let nginx: Nginx;
  let manifest: Manifest;
  const readManifest = () => JSON.parse(readFileSync(join(mirror, 'export.json'), 'utf8')) as Manifest;

  beforeAll(async () => {
    cpSync(FIXTURE, data, { recursive: true });
    addChanges(data);
    addKey(data);
    clock = createFakeClock(join(folder, 'clock'), new Date(START));
    await exportTo(mirror);
    manifest = readManifest();
    [service, nginx] = await Promise.all([
      startBuiltService('release-web', {
        ...clock.env,
        DATA_DIR: data,
        PUBLIC_BASE_URL: BASE_URL,
        DATA_STALE_DAYS: '150',
        LOG_LEVEL: 'info',
      }),
      startNginx(join(folder, 'nginx'), mirror, clock.env),
    ]);
  });

  afterAll(async () => {
    agent.destroy();
    await nginx?.stop();
    await killServices();
    await rm(folder, { recursive: true, force: true });
  });

  const differences = async (time: Date): Promise<string[]> => {
    clock.set(time);
    const paths = [...Object.keys(manifest.answers), ...Object.keys(manifest.redirects)];
    expect(paths.length).toBeGreaterThan(500);
    const found: string[] = [];
    const compare = async (path: string): Promise<void> => {
      for (const coding of manifest.redirects[path] ? ['identity'] : CODINGS) {
        const headers = { 'accept-encoding': coding };
        const [ours, theirs] = await Promise.all([
          get(service.url, path, headers),
          get(nginx.url, path, headers),
        ]);
        if (!isDeepStrictEqual(comparable(theirs), comparable(ours))) found.push(`${path} (${coding})`);
      }
    };
    for (let first = 0; first < paths.length; first += 16)
      await Promise.all(paths.slice(first, first + 16).map(compare));
    return found;
  };

  it.each(DAYS)('answers as the service does from %s until the day ends, byte for byte', async (time) => {
    const next = new Date(Date.parse(time.slice(0, 10)) + DAY_MS);
    expect(await exportTo(mirror, '--at', time)).toContain(
      `right until ${next.toISOString()}: export again then`,
    );
    manifest = readManifest();
    expect(manifest.valid_until).toBe(next.toISOString());
    await nginx.reload();
    // nginx closes connections to what it was before.
    agent.destroy();
    expect(await differences(new Date(time))).toEqual([]);
    expect(await differences(new Date(next.getTime() - 1000))).toEqual([]);
  });

  it('has the changes since each cursor that a client can have', () => {
    const path = '/api/v1/changes';
    const expected = ['', '?since=start', '?since=8.2-1', '?since=8.2-1_8.4-1', '?since=8.2-2_8.4-1'];
    const urls = Object.keys(manifest.answers).filter((url) => url.startsWith(path));
    expect(urls).toEqual(expected.map((query) => path + query));
  });

  it('never answers a query otherwise than the service does', async () => {
    clock.set(new Date(DAYS.at(-1)!));
    const random = seededRandom(1);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    const paths = [
      '/releases/index.php',
      '/releases/',
      '/pre-release-builds.php',
      '/api/v1/releases/latest',
      '/api/v1/support',
      '/releases/branches.php',
      '/api/v1/events',
      '/api/v1/changes',
    ];
    const words = [
      'json',
      'serialize',
      'json=1',
      'format=json',
      'format=serialize',
      'only=dev_versions',
      'version=8',
      'version=8.4',
      'version=8.4.24',
      'version[]=8',
      'version%5B%5D=8',
      'ver%73ion=8',
      'version=%38',
      ' version=8'.replace(' ', '+'),
      'version',
      'version=',
      'max=-1',
      'max=100',
      'max=3',
      'branch=8.4',
      'branch=8.9',
      'since=8.2-1',
      'limit=1',
      'within=30d',
      'cachebuster=7',
      'a=version=8',
      'jsonp=1',
      'JSON',
      '',
      '?json',
    ];
    let same = 0;
    for (let run = 0; run < 600; run++) {
      const query = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(words)).join('&');
      const path = `${pick(paths)}?${query}`;
      const [ours, theirs] = await Promise.all([get(service.url, path), get(nginx.url, path)]);
      if (theirs.status === 404 && String(theirs.headers['cache-control']) === 'no-store') continue;
      expect([path, comparable(theirs)]).toEqual([path, comparable(ours)]);
      same += 1;
    }
    expect(same).toBeGreaterThan(100);
  });

  it('answers what a client has already with 304, unless the service always sends it', async () => {
    const path = '/releases/branches.php';
    const { headers } = await get(nginx.url, path, { 'accept-encoding': 'br' });
    const etag = String(headers['etag']);
    const asked = { 'accept-encoding': 'br', 'if-none-match': `W/${etag}` };
    expect(await get(nginx.url, path, asked)).toMatchObject({ status: 304, headers: { etag } });
    expect(await get(nginx.url, path, { 'if-none-match': etag })).toMatchObject({ status: 200 });
    const host = await get(nginx.url, '/mirror-info.php');
    const again = { 'if-none-match': String(host.headers['etag']) };
    expect(await get(nginx.url, '/mirror-info.php', again)).toMatchObject({ status: 200, body: host.body });
  });

  it.each([
    ['/nothing', 'GET', 404],
    ['/Releases/branches.php', 'GET', 404],
    ['/releases/index.php?json&version=8&max=17', 'GET', 404],
    ['/nginx/http.conf', 'GET', 404],
    ['/export.json', 'GET', 404],
    ['/site/releases/branches.php', 'GET', 404],
    ['/releases/branches.php.gz', 'GET', 404],
    ['/releases/../releases/branches.php', 'GET', 404],
    ['/health', 'GET', 404],
    ['/releases/branches.php', 'POST', 405],
    ['/releases/branches.php', 'DELETE', 405],
  ])('has a problem for %s (%s)', async (path, method, status) => {
    const answer = await get(nginx.url, path, {}, method);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
      ...(status === 405 && { allow: 'GET, HEAD' }),
    });
    expect(JSON.parse(answer.body.toString())).toMatchObject({ status });
  });

  it('keeps the time of what has not changed', async () => {
    const target = join(folder, 'again');
    const times = async () =>
      Object.fromEntries(
        (await readdir(target, { recursive: true, withFileTypes: true }))
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => join(parentPath, name))
          .map((file) => [file.slice(target.length + 1), statSync(file).mtimeMs]),
      );
    clock.set(new Date(START));
    await exportTo(target);
    const before = await times();
    expect(await exportTo(target)).toContain(': 0 written, 0 removed');
    expect(await times()).toEqual(before);

    await exportTo(target, '--at', '2026-12-31T00:00:00Z');
    const after = await times();
    expect(after['site/releases/branches.php']).toBe(Date.parse('2026-12-31T00:00:00Z'));
    expect(after['site/api/v1/schedule.ics']).toBe(before['site/api/v1/schedule.ics']);
  });
});
