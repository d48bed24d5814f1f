import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseManifest, readText } from './digests.ts';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);

describe('parseManifest', () => {
  it.each([
    ['text mode', `${A}  php-8.4.25.tar.gz\n`],
    ['binary mode', `${A} *php-8.4.25.tar.gz\n`],
    ['BSD', `SHA256 (php-8.4.25.tar.gz) = ${A}\n`],
    ['folders, which do not count', `${A}  ./build/php-8.4.25.tar.gz\n`],
    ['capital letters', `${A.toUpperCase()}  php-8.4.25.tar.gz`],
    [
      'comments, empty lines and the line ends of Windows',
      `# made by hand\r\n\r\n${A}  php-8.4.25.tar.gz\r\n`,
    ],
    ['a byte order mark', `\uFEFF${A}  php-8.4.25.tar.gz\n`],
    ['white space around a line', `  ${A}  php-8.4.25.tar.gz \t\n`],
    ['no-break spaces of a web page', `${A}\u00A0\u00A0php-8.4.25.tar.gz\u00A0\n`],
    ['a tab', `${A}\tphp-8.4.25.tar.gz\n`],
    ['the line ends of old editors', `# x\r${A}  php-8.4.25.tar.gz\r`],
    ['OpenSSL', `SHA2-256(php-8.4.25.tar.gz)= ${A}\n`],
    ['folders of Windows', `${A} *.\\build\\php-8.4.25.tar.gz\n`],
    ['the same line twice', `${A}  php-8.4.25.tar.gz\n${A}  x/php-8.4.25.tar.gz\n`],
  ])('reads %s', (_, text) => {
    expect([...parseManifest(text)]).toEqual([['php-8.4.25.tar.gz', A]]);
  });

  it.each(['utf-8', 'utf-16le', 'utf-16be'] as const)(
    'is read from a file in %s with a mark',
    async (encoding) => {
      const folder = mkdtempSync(join(tmpdir(), 'manifest-'));
      const bytes = Buffer.from(`\uFEFF${A}  x.tar.gz\r\n`, encoding === 'utf-8' ? 'utf-8' : 'utf-16le');
      writeFileSync(join(folder, 'x'), encoding === 'utf-16be' ? bytes.swap16() : bytes);
      expect([...parseManifest(await readText(join(folder, 'x')))]).toEqual([['x.tar.gz', A]]);
      rmSync(folder, { recursive: true });
    },
  );

  it.each([
    ['a digest that is cut', `${A}  a\n${A.slice(1)}  b\n`, 'Line 2 of the manifest is not a SHA-256 line'],
    ['another algorithm', `MD5 (a) = ${A.slice(32)}`, 'Line 1 of the manifest is not a SHA-256 line'],
    ['two digests of one file', `${A}  a\n${B}  a\n`, 'The manifest lists a twice.'],
  ])('rejects %s', (_, text, sentence) => {
    expect(() => parseManifest(text)).toThrow(sentence);
  });
});
