import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import type { Compression } from '../facts/tarball-name.ts';

const BLOCK = 512;

/** A tar archive with one file in it, compressed. Uses the programs bzip2 and xz. @param path of the file in it */
export const tarball = (compression: Compression, content: string, path = 'README'): Buffer => {
  const tar = tarWith(content, path);
  if (compression === 'gz') return gzipSync(tar);
  return execFileSync(compression === 'xz' ? 'xz' : 'bzip2', ['-c', '-1'], { input: tar });
};

/** POSIX ustar: a header, the content in whole blocks, two empty blocks. */
const tarWith = (content: string, path: string): Buffer => {
  const body = Buffer.from(content);
  const header = Buffer.alloc(BLOCK);
  header.write(path);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padding = Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK);
  return Buffer.concat([header, body, padding, Buffer.alloc(2 * BLOCK)]);
};
