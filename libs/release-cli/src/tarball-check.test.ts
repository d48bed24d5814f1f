import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
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

it('an error page that a proxy compressed is not a tarball', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tarball-'));
  writeFileSync(join(folder, 'x'), gzipSync(HTML));
  const reason = 'does not contain a tar archive; its content begins with "<!DOCTYPE html>';
  await expect(checkTarball(join(folder, 'x'), 'gz')).rejects.toThrow(reason);
  rmSync(folder, { recursive: true });
});
