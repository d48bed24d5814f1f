import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { unpack } from './unpack.ts';

const CITY = Buffer.from('a city database'.repeat(1_000));
const ASN = Buffer.from('an ASN database'.repeat(1_000));
const LONG = `${'long-name-'.repeat(15)}/`.repeat(2);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ip-locate-unpack-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Archives made by others' programs, with these files in this order. */
const archiveOf = (format: string, files: Readonly<Record<string, Buffer>>): string => {
  const source = join(folder, 'source');
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(source, name)), { recursive: true });
    writeFileSync(join(source, name), bytes);
  }
  const names = Object.keys(files);
  const archive = join(folder, 'archive');
  if (format === 'zip') execFileSync('python3', ['-m', 'zipfile', '-c', archive, ...names], { cwd: source });
  else execFileSync('tar', [`--format=${format}`, '-cf', archive, ...names], { cwd: source });
  return archive;
};

const unpacked = async (archive: string, name: string): Promise<string> => {
  const target = join(folder, 'database');
  await unpack(archive, target, name);
  const text = readFileSync(target, 'utf8');
  rmSync(target);
  return text;
};

describe.each(['ustar', 'pax', 'gnu', 'v7', 'zip'])('an archive in the format %s', (format) => {
  const long = format === 'v7' || format === 'ustar' ? '' : LONG;
  const files = {
    'GeoLite2/._GeoLite2-City.mmdb': Buffer.from('of macOS'),
    'GeoLite2/LICENSE.txt': Buffer.from('a licence'),
    [`${long}GeoLite2-ASN.mmdb`]: ASN,
    [`${long}GeoLite2-City.mmdb`]: CITY,
  };

  it('is unpacked, gzipped or not, to the database that is wanted', async () => {
    const archive = archiveOf(format, files);
    expect(await unpacked(archive, 'city')).toBe(String(CITY));
    expect(await unpacked(archive, 'asn')).toBe(String(ASN));
    if (format === 'zip') return;
    writeFileSync(archive, gzipSync(readFileSync(archive)));
    expect(await unpacked(archive, 'city')).toBe(String(CITY));
  });

  it('has no database but a file of macOS', async () => {
    const archive = archiveOf(format, { 'a/._City.mmdb': CITY, 'a/README': ASN });
    await expect(unpacked(archive, 'city')).rejects.toThrow('the archive has no database');
  });

  it('is damaged when its end is missing', async () => {
    const archive = archiveOf(format, files);
    const whole = readFileSync(archive);
    writeFileSync(archive, whole.subarray(0, whole.length / 2));
    await expect(unpacked(archive, 'city')).rejects.toThrow('the archive is damaged');
  });
});

it.each([
  ['a file that is none', CITY],
  ['a short file', Buffer.from('short')],
  ['an empty file', Buffer.alloc(0)],
])('%s is taken as it is', async (_, bytes) => {
  const file = join(folder, 'file');
  writeFileSync(file, bytes);
  expect(await unpacked(file, 'city')).toBe(String(bytes));
  if (bytes.length === 0) return;
  writeFileSync(file, gzipSync(bytes));
  expect(await unpacked(file, 'city')).toBe(String(bytes));
});
