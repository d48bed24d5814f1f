import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Compression } from '@workspace/release-catalogue';
import { tarball } from '@workspace/release-catalogue/testing';
import { checkTarball } from './tarball-check.ts';

const HTML = '<!DOCTYPE html><title>503 Service Unavailable</title>'.repeat(20);

describe.each<Compression>(['gz', 'bz2', 'xz'])('a tarball in %s', (compression) => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'tarball-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  const whole = tarball(compression, Array.from({ length: 20_000 }, (_, n) => `${n * n}`).join('\n'));
  const check = (bytes: Uint8Array | string) => {
    const path = join(folder, 'x');
    writeFileSync(path, bytes);
    return checkTarball(path, compression);
  };

  it('has the digest of the file', async () => {
    const sha256 = createHash('sha256').update(whole).digest('hex');
    expect(await check(whole)).toEqual({ sha256, size: whole.length });
  });

  it.each([
    ['an error page', HTML, `is not a ${compression} file; it begins with "<!DOCTYPE html`],
    ['nothing', '', 'is empty'],
    ['one byte', whole.subarray(0, 1), 'is damaged or incomplete'],
    ['cut in the middle', whole.subarray(0, whole.length / 2), 'is damaged or incomplete'],
    ['cut near its end', whole.subarray(0, -4), 'is damaged or incomplete'],
    [
      'with bytes that changed',
      Buffer.concat([whole.subarray(0, 5_000), Buffer.from('XXXX'), whole.subarray(5_004)]),
      'is damaged or incomplete',
    ],
  ])('is rejected: %s', async (_what, bytes, reason) => {
    await expect(check(bytes)).rejects.toThrow(reason);
  });
});

describe('what a tarball holds', () => {
  let folder: string;
  const long = 'a'.repeat(90);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tarball-'));
    mkdirSync(join(folder, 'php-8.4.25', long, long), { recursive: true });
    for (const path of ['x', 'php-8.4.25/x', `php-8.4.25/${long}/${long}/x`])
      writeFileSync(join(folder, path), path);
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const check = async (...args: string[]) => {
    execFileSync('tar', ['-C', folder, '-czf', join(folder, 't.tar.gz'), ...args]);
    return (await checkTarball(join(folder, 't.tar.gz'), 'gz', 'php-8.4.25')).size > 0;
  };

  it.each([
    ['GNU', ['--format=gnu', 'php-8.4.25']],
    ['pax', ['--format=pax', 'php-8.4.25']],
    ['pax for all entries, as git writes it', ['--format=pax', '--pax-option=comment=x', 'php-8.4.25']],
    ['with a dot before each name', ['./php-8.4.25']],
  ])('is the folder of its version: %s', async (_format, args) => {
    expect(await check(...args)).toBe(true);
  });

  it.each([
    ['one file', ['x'], 'holds "x", which is not in the folder php-8.4.25/'],
    ['a file beside the folder', ['php-8.4.25', 'x'], 'holds "x", which'],
    ['another version', ['--transform=s/25/24/', 'php-8.4.25'], 'holds "php-8.4.24/", which'],
    ['a version that begins like it', ['--transform=s/25/250/', 'php-8.4.25'], 'holds "php-8.4.250/", which'],
    ['nothing', ['-T', '/dev/null'], 'does not contain a tar archive'],
  ])('is not %s', async (_what, args, reason) => {
    await expect(check(...args)).rejects.toThrow(reason);
  });
});

it.each([
  [
    'an error page',
    Buffer.from(HTML),
    'does not contain a tar archive; its content begins with "<!DOCTYPE html>',
  ],
  ['half an archive', gunzipSync(tarball('gz', HTML)).subarray(0, 700), 'is damaged or incomplete: '],
])('%s that was compressed is not a tarball', async (_what, content, reason) => {
  const folder = mkdtempSync(join(tmpdir(), 'tarball-'));
  writeFileSync(join(folder, 'x'), gzipSync(content));
  await expect(checkTarball(join(folder, 'x'), 'gz')).rejects.toThrow(reason);
  rmSync(folder, { recursive: true });
});
