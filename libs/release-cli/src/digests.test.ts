import { parseManifest } from './digests.ts';

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
    ['the same line twice', `${A}  php-8.4.25.tar.gz\n${A}  x/php-8.4.25.tar.gz\n`],
  ])('reads %s', (_, text) => {
    expect([...parseManifest(text)]).toEqual([['php-8.4.25.tar.gz', A]]);
  });

  it.each([
    ['a digest that is cut', `${A}  a\n${A.slice(1)}  b\n`, 'Line 2 of the manifest is not a SHA-256 line'],
    ['another algorithm', `MD5 (a) = ${A.slice(32)}`, 'Line 1 of the manifest is not a SHA-256 line'],
    ['two digests of one file', `${A}  a\n${B}  a\n`, 'The manifest lists a twice.'],
  ])('rejects %s', (_, text, sentence) => {
    expect(() => parseManifest(text)).toThrow(sentence);
  });
});
