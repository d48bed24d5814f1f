import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { traitUpdates } from '../traits/update.ts';
import { createDataUpdates } from './index.ts';
import { DataCommandTest, listening } from '../../../test/data-command.ts';
import { asnMmdb, cityMmdb, DAY, EPOCH, flatMmdb, munich } from '../../../test/databases.ts';

interface Served {
  bytes: Buffer;
  /** closes the connection after so many bytes, once */
  cutAt?: number;
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A tar archive as MaxMind makes them: a folder, a licence, the database. */
const tarOf = async (members: readonly (readonly [string, Buffer])[]): Promise<Buffer> => {
  const archive = pack();
  for (const [name, bytes] of members) {
    archive.entry({ name, type: name.endsWith('/') ? 'directory' : 'file' }, bytes);
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
};

/** How long a server may send too little. */
let stallMs: number;
/** answers all requests instead of `files` */
let misbehave: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
let files: Map<string, Served>;
let requests: { url: string; status: number }[];

const answer = (request: IncomingMessage, response: ServerResponse): void => {
  if (misbehave) return misbehave(request, response);
  const url = request.url ?? '';
  const { authorization } = request.headers;
  const served = files.get(url);
  const reply = (status: number, headers: Record<string, string | number> = {}, body?: Buffer): void => {
    requests.push({ url, status });
    response.writeHead(status, headers);
    response.end(body);
  };
  if (url.startsWith('/geoip/') && authorization !== `Basic ${btoa('7:secret')}`) return reply(401);
  if (!served) return reply(404);
  const { bytes, cutAt } = served;
  const etag = `"${sha256(bytes)}"`;
  if (request.headers['if-none-match'] === etag) return reply(304, { etag });
  const headers = { etag, 'content-length': bytes.length };
  if (cutAt === undefined) return reply(200, headers, bytes);
  delete served.cutAt;
  requests.push({ url, status: 200 });
  response.writeHead(200, headers);
  response.write(bytes.subarray(0, cutAt), () => response.destroy());
};

const command = new DataCommandTest(answer);
beforeEach(() => {
  files = new Map();
  misbehave = undefined;
  stallMs = 60_000;
  requests = [];
});

const run = (args: string, env: Record<string, string> = {}): Promise<number> =>
  command.run(
    args.split(' ').filter(Boolean),
    [createDataUpdates({ retryMs: 1, attempts: 3, stallMs }), traitUpdates],
    { env },
  );
const update = (more = '', env: Record<string, string> = {}): Promise<number> =>
  run(`update --folder ${command.folder} --mirror ${command.origin} --known-address 80.1.2.3 ${more}`, env);
const installed = (name: 'city' | 'asn'): Buffer => readFileSync(join(command.folder, `${name}.mmdb`));

const city = cityMmdb();
const newer = cityMmdb({ epoch: EPOCH + DAY });
const older = cityMmdb({ epoch: EPOCH - DAY });
const CITY = '/free/dbip-city-lite-2026-11.mmdb.gz';
const ASN = '/free/dbip-asn-lite-2026-11.mmdb.gz';

describe('ip-locate-data update', () => {
  it('downloads both databases of DB-IP, and nothing the second time', async () => {
    files.set(CITY, { bytes: gzipSync(city) }).set(ASN, { bytes: gzipSync(asnMmdb()) });
    expect(await update()).toBe(0);
    expect(command.out).toEqual([
      `${command.folder}/city.mmdb: updated, data of 2026-11-01`,
      `${command.folder}/asn.mmdb: updated, data of 2026-11-01`,
    ]);
    expect([installed('city'), installed('asn')]).toEqual([city, asnMmdb()]);
    expect(readdirSync(command.folder).sort()).toEqual([
      'asn.mmdb',
      'asn.mmdb.lock',
      'asn.mmdb.source',
      'city.mmdb',
      'city.mmdb.lock',
      'city.mmdb.source',
    ]);
    expect(await update()).toBe(0);
    expect(command.out[0]).toBe(`${command.folder}/city.mmdb: already current, data of 2026-11-01`);
    expect(requests.map(({ status }) => status)).toEqual([200, 200, 304, 304]);
  });

  it('lets those read the new database who could read the old one, whatever the umask is', async () => {
    files.set(CITY, { bytes: gzipSync(city) });
    expect(await update('--databases city')).toBe(0);
    chmodSync(join(command.folder, 'city.mmdb'), 0o644);
    files.set(CITY, { bytes: gzipSync(newer) });
    const umask = process.umask(0o077);
    try {
      expect(await update('--databases city')).toBe(0);
    } finally {
      process.umask(umask);
    }
    expect(installed('city').equals(newer)).toBe(true);
    expect(statSync(join(command.folder, 'city.mmdb')).mode & 0o777).toBe(0o644);
  });

  it('leaves a database to its owner and group, as far as it may', async () => {
    const [uid, gid] =
      process.getuid!() === 0 ? [12_345, 12_346] : [process.getuid!(), process.getgroups!().at(-1)!];
    const path = join(command.folder, 'city.mmdb');
    writeFileSync(path, city, { mode: 0o640 });
    chownSync(path, uid, gid);
    files.set(CITY, { bytes: gzipSync(newer) });
    expect(await update('--databases city')).toBe(0);
    expect(installed('city').equals(newer)).toBe(true);
    expect(statSync(path)).toMatchObject({ uid, gid, mode: 0o100640 });
  });

  it('downloads again when the database is not the one that was installed', async () => {
    files.set(CITY, { bytes: gzipSync(city) });
    expect(await update('--databases city')).toBe(0);
    writeFileSync(join(command.folder, 'city.mmdb'), Buffer.concat([city, city]));
    expect(await update('--databases city')).toBe(0);
    expect(installed('city').equals(city)).toBe(true);
  });

  it('takes the file of last month until this month’s is there', async () => {
    files.set('/free/dbip-city-lite-2026-10.mmdb.gz', { bytes: gzipSync(city) });
    expect(await update('--databases city')).toBe(0);
    files.set(CITY, { bytes: gzipSync(newer) });
    expect(await update('--databases city')).toBe(0);
    expect(installed('city').equals(newer)).toBe(true);
  });

  it('downloads anew when the connection broke, and whatever an earlier process left', async () => {
    writeFileSync(join(command.folder, 'city.mmdb.part'), 'the beginning of another file');
    files.set(CITY, { bytes: gzipSync(city), cutAt: 2_000 });
    expect(await update('--databases city')).toBe(0);
    expect(installed('city').equals(city)).toBe(true);
    expect(requests.map(({ status }) => status)).toEqual([200, 200]);
    expect(readdirSync(command.folder)).not.toContain('city.mmdb.part');
  });

  it('downloads from MaxMind with an account, checks the checksum and unpacks the archive', async () => {
    const archive = gzipSync(
      await tarOf([
        ['GeoLite2-City_20261101/', Buffer.alloc(0)],
        ['GeoLite2-City_20261101/LICENSE.txt', Buffer.from('licence')],
        ['GeoLite2-City_20261101/GeoLite2-City.mmdb', city],
      ]),
    );
    const path = '/geoip/databases/GeoLite2-City/download?suffix=tar.gz';
    files.set(path, { bytes: archive });
    files.set(`${path}.sha256`, {
      bytes: Buffer.from(`${sha256(archive)}  GeoLite2-City_20261101.tar.gz\n`),
    });
    const account = { MAXMIND_ACCOUNT_ID: '7', MAXMIND_LICENSE_KEY: 'secret' };
    expect(await update('--source maxmind --databases city', account)).toBe(0);
    expect(installed('city').equals(city)).toBe(true);
    expect(await update('--source maxmind --databases city', account)).toBe(0);
    expect(command.out).toEqual([`${command.folder}/city.mmdb: already current, data of 2026-11-01`]);
    expect(requests.filter(({ url }) => url === path)).toHaveLength(1);

    files.set(`${path}.sha256`, { bytes: Buffer.from('0'.repeat(64)) });
    expect(await update('--source maxmind --databases city', account)).toBe(1);
    expect(command.notes[0]).toContain(`SHA-256 is ${sha256(archive)}`);
    const wrong = { MAXMIND_ACCOUNT_ID: '7', MAXMIND_LICENSE_KEY: 'wrong' };
    expect(await update('--source maxmind --databases city', wrong)).toBe(1);
    expect(command.notes[0]).toContain('401 when asked for the checksum: check account and key');
    expect(command.notes.join() + command.out.join()).not.toContain('wrong');
    expect(installed('city').equals(city)).toBe(true);
  });

  it('downloads from any address, plain or packed, with a checksum', async () => {
    files.set('/a.mmdb', { bytes: city }).set('/b.mmdb.gz', { bytes: gzipSync(newer) });
    const from = (path: string, sum: string) =>
      update(`--source url --databases city --city-url ${command.origin}${path} --city-sha256 ${sum}`);
    expect(await from('/a.mmdb', sha256(city).toUpperCase())).toBe(0);
    expect(await from('/b.mmdb.gz', sha256(gzipSync(newer)))).toBe(0);
    expect(installed('city').equals(newer)).toBe(true);
    expect(await from('/a.mmdb', sha256(newer))).toBe(1);
    expect(installed('city').equals(newer)).toBe(true);
  });

  const truncated = city.subarray(0, city.length - 200);
  it.each([
    ['a page', Buffer.from('<!doctype html>'), 'the file is not a MaxMind-format database'],
    ['a truncated database', gzipSync(truncated), 'the file is not a MaxMind-format database'],
    ['a truncated archive', gzipSync(newer).subarray(0, 3_000), 'the archive is damaged'],
    ['a database of another type', gzipSync(asnMmdb()), 'has no locations'],
    [
      'a database without the known address',
      gzipSync(cityMmdb({ entries: [['9.0.0.0/8', { city: { names: { en: 'x' } } }]] })),
      'no entry for 80.1.2.3',
    ],
    ['an older database', gzipSync(older), 'of 2026-10-31, older than the one in use of 2026-11-01'],
    ['a database without a date', gzipSync(cityMmdb({ epoch: 0 })), 'has no date'],
    [
      'a database without IPv6',
      gzipSync(cityMmdb({ ipVersion: 4, epoch: EPOCH + DAY, entries: [['80.0.0.0/8', munich]] })),
      'the file has no IPv6 addresses, and the one in use has',
    ],
    [
      'a database of the future',
      gzipSync(cityMmdb({ epoch: EPOCH + 365 * DAY })),
      'the file is of 2027-11-01, which is still to come',
    ],
    ['nothing', undefined, 'not found: http'],
  ])('keeps the database in use when the server has %s', async (_, bytes, reason) => {
    files.set(CITY, { bytes: gzipSync(city) });
    expect(await update('--databases city')).toBe(0);
    files.delete(CITY);
    if (bytes) files.set(CITY, { bytes });
    expect(await update('--databases city')).toBe(1);
    expect(command.notes[0]).toContain(reason);
    expect(installed('city').equals(city)).toBe(true);
    expect(existsSync(join(command.folder, 'city.mmdb.part'))).toBe(false);
    expect(readdirSync(command.folder).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it('replaces a file for one address family by one for both, not by one for the other', async () => {
    const updateTo = async (bytes: Buffer, known: string) => {
      files.set('/x.mmdb', { bytes });
      const from = `--source url --city-url ${command.origin}/x.mmdb --known-address ${known}`;
      return update(`--databases city ${from}`);
    };
    const dated = { ipVersion: 4, epoch: EPOCH - 4 * DAY } as const;
    const only4 = cityMmdb({ ...dated, entries: [['80.0.0.0/8', munich]] });
    expect([await updateTo(flatMmdb(6), '2a00::1'), await updateTo(only4, '80.1.2.3')]).toEqual([0, 1]);
    expect(command.notes[0]).toContain('the file has no IPv6 addresses');
    expect(await updateTo(city, '80.1.2.3')).toBe(0);
    expect([await updateTo(flatMmdb(6), '2a00::1'), command.notes[0]]).toEqual([
      1,
      expect.stringContaining('the file has no IPv4 addresses'),
    ]);
  });

  it('replaces a database of the future, which all others would be older than', async () => {
    writeFileSync(join(command.folder, 'city.mmdb'), cityMmdb({ epoch: EPOCH + 365 * DAY }));
    files.set(CITY, { bytes: gzipSync(city) });
    expect([await update('--databases city'), command.notes]).toEqual([0, []]);
    expect(installed('city').equals(city)).toBe(true);
  });

  it('reads the licence key from a file, also when the variable for the key is empty', async () => {
    const keyFile = join(command.folder, 'key');
    const account = { MAXMIND_ACCOUNT_ID: '7', MAXMIND_LICENSE_KEY: '', MAXMIND_LICENSE_KEY_FILE: keyFile };
    expect(await update('--source maxmind --databases city', account)).toBe(2);
    expect(command.notes[0]).toContain(`MAXMIND_LICENSE_KEY_FILE: ${keyFile} cannot be read (ENOENT).`);
    writeFileSync(keyFile, 'secret\n');
    expect(await update('--source maxmind --databases city', account)).toBe(1);
    expect(command.notes[0]).toContain('answered 404 when asked for the checksum');
  });

  it('gives up after several attempts, and updates the other database all the same', async () => {
    files.set(ASN, { bytes: gzipSync(asnMmdb()) });
    const [broken, origin] = await listening((_request, response) => void response.writeHead(503).end());
    const urls = `--city-url ${origin}/ --asn-url ${command.origin}${ASN}`;
    expect(await update(`--source url ${urls}`)).toBe(1);
    expect(command.notes).toEqual([
      `${command.folder}/city.mmdb: not updated: ${origin.slice(7)} answered 503, 3 times`,
    ]);
    expect(command.out).toEqual([`${command.folder}/asn.mmdb: updated, data of 2026-11-01`]);
    broken.close();
  });
});

describe('the command line', () => {
  it.each([
    ['update', '--folder is missing.'],
    ['completions csh', 'completions needs one of bash, zsh, fish, not "csh".'],
    ['upgrade', '"upgrade" is not a command.'],
    ['update --folder x --source ftp', '--source must be dbip, maxmind or url, not "ftp".'],
    ['update --folder x --source url', '--city-url is missing.'],
    ['update --folder x --source maxmind', 'MAXMIND_ACCOUNT_ID'],
    ['update --folder x --databases country', 'not "country"'],
    ['update --folder x --mirror nonsense', '"nonsense" is not an HTTP address.'],
    ['update --folder x --known-address nonsense', '--known-address is not an address.'],
    ['update --folder x --nonsense', "Unknown option '--nonsense'."],
    ['update --flder x', 'Did you mean "--folder"?'],
  ])('%s is wrong: %s', async (args, message) => {
    expect(await run(args)).toBe(2);
    expect(command.notes.join()).toContain(message);
  });

  it.each([
    ['--help', 'Usage: ip-locate-data update'],
    ['', 'Usage: ip-locate-data update'],
    ['--help', 'Exit codes: 0 updated'],
    ['completions bash', "*:update) words='--folder --databases "],
    ['completions zsh', '#compdef ip-locate-data'],
    ['completions fish', "complete -c ip-locate-data -n '__fish_seen_subcommand_from update' -l mirror"],
    ['--version', '1.2.3'],
  ])('%s prints %s', async (args, text) => {
    expect(await run(args)).toBe(0);
    expect(command.out.join('\n')).toContain(text);
  });
});

describe('ip-locate-data update, from a server that misbehaves', () => {
  const account = { MAXMIND_ACCOUNT_ID: '7', MAXMIND_LICENSE_KEY: 'secret' };
  const left = () => readdirSync(command.folder).filter((name) => !name.endsWith('.lock'));

  it.each([
    [
      'is not up to date by a 304 to a request without a condition',
      (_request: IncomingMessage, response: ServerResponse) => response.writeHead(304).end(),
      {},
      'answered 304',
    ],
    [
      'takes no file that is larger than any database',
      (_request: IncomingMessage, response: ServerResponse) => {
        response.writeHead(200, { 'content-length': 5 * 2 ** 30 });
        response.write('x');
      },
      {},
      'the answer is larger than 4096 MiB',
    ],
    [
      'fails for a checksum that is cut off',
      (_request: IncomingMessage, response: ServerResponse) => {
        response.writeHead(200, { 'content-length': 64 });
        response.write('0', () => response.destroy());
      },
      account,
      'the checksum cannot be read: http://127.0.0.1',
    ],
    [
      'fails for a checksum that does not end',
      (_request: IncomingMessage, response: ServerResponse) => {
        const more = () => void (response.destroyed || response.write('<'.repeat(65_536), more));
        response.writeHead(200);
        more();
      },
      account,
      'answered 200 when asked for the checksum',
    ],
  ])('%s', async (_title, badly, env, why) => {
    misbehave = badly;
    expect(await update(env === account ? '--source maxmind' : '', env)).not.toBe(0);
    expect(command.notes.join('\n')).toContain(why);
    expect(left()).toEqual([]);
  });

  it('takes a packed file that the server calls a coding of another', async () => {
    const bytes = gzipSync(city);
    misbehave = (_request, response) =>
      void response
        .writeHead(200, { 'content-encoding': 'x-gzip', 'content-length': bytes.length })
        .end(bytes);
    expect(await update('--databases city')).toBe(0);
    expect(installed('city').equals(city)).toBe(true);
  });

  it('gives up a server that sends a byte now and then', async () => {
    stallMs = 500;
    misbehave = (_request, response) => {
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    };
    expect(await update('--databases city')).toBe(1);
    expect(command.notes.join()).toMatch(/slower than 50000 bytes a second, 3 times/);
    expect(left()).toEqual([]);
  });
});
