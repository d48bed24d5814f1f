import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { PassThrough, Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Compression } from '@workspace/release-catalogue';
import { extract } from 'tar-stream';
import unbzip2 from 'unbzip2-stream';
import * as xzDecompress from 'xz-decompress';

// xz-decompress is CommonJS: bundlers and Node disagree on where its exports are.
const { XzReadableStream } = (
  'default' in xzDecompress ? xzDecompress.default : xzDecompress
) as typeof xzDecompress;

/** A file that is not the whole tarball its name promises. The message says why. */
export class DamagedTarball extends Error {
  override readonly name = 'DamagedTarball';
}

/** What a compressed file begins with. */
const MAGIC: Readonly<Record<Compression, Buffer>> = {
  gz: Buffer.from('1f8b', 'hex'),
  bz2: Buffer.from('BZh'),
  xz: Buffer.from('fd377a585a00', 'hex'),
};

/** How much of a beginning is kept: what a message shows of it. */
const START_BYTES = 20;

/**
 * Reads a tarball once: its digest, and whether it really is one. Error pages saved under its name and files that were cut
 * off in the middle have digests too, and so has the tarball of another version.
 * @param folder that everything in it is in, as `php-8.4.25`; left out: not checked
 * @param onProgress called with the bytes read so far
 * @returns SHA-256 in lowercase hex, and the size in bytes
 * @throws DamagedTarball
 */
export const checkTarball = async (
  path: string,
  compression: Compression,
  folder?: string,
  onProgress: (read: number, size: number) => void = () => undefined,
): Promise<{ sha256: string; size: number }> => {
  const { size } = await stat(path);
  if (size === 0) throw new DamagedTarball('is empty');
  const hash = createHash('sha256');
  const magic = MAGIC[compression];
  let start = Buffer.alloc(0);
  let read = 0;
  const hashed = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      if (start.length < START_BYTES) start = Buffer.concat([start, chunk]).subarray(0, START_BYTES);
      read += chunk.length;
      onProgress(read, size);
      done(
        start.subarray(0, magic.length).equals(magic.subarray(0, start.length))
          ? null
          : new DamagedTarball(`is not a ${compression} file; it begins with ${excerpt(start)}`),
        chunk,
      );
    },
  });
  const source = createReadStream(path, { highWaterMark: 1 << 18 });
  source.on('error', (error) => hashed.destroy(error));
  try {
    await expectTar(DECOMPRESS[compression](source.pipe(hashed)), folder);
  } catch (error) {
    if (error instanceof DamagedTarball) throw error;
    if (hashed.errored instanceof DamagedTarball) throw hashed.errored;
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw new DamagedTarball(`is damaged or incomplete: ${(error as Error).message}`, { cause: error });
  } finally {
    source.destroy();
  }
  return { sha256: hash.digest('hex'), size };
};

/** Node has no decompressors for bzip2 and xz. Each of these fails when a checksum is wrong or the end is missing. */
const DECOMPRESS: Readonly<Record<Compression, (file: Readable) => AsyncIterable<Uint8Array>>> = {
  gz: (file) => {
    const gunzip = createGunzip();
    file.on('error', (error) => gunzip.destroy(error));
    return file.pipe(gunzip);
  },
  bz2: (file) => {
    const bunzip2 = unbzip2();
    // A stream of the first kind that Node had: it neither passes errors on nor can be iterated.
    const output = bunzip2.pipe(new PassThrough());
    bunzip2.on('error', (error: Error) => output.destroy(error));
    file.on('error', (error) => output.destroy(error));
    file.pipe(bunzip2);
    return output;
  },
  xz: (file) =>
    Readable.fromWeb(
      new XzReadableStream(Readable.toWeb(file) as ReadableStream<Uint8Array>) as Parameters<
        typeof Readable.fromWeb
      >[0],
    ),
};

/** Reads the header of every entry. */
const expectTar = async (content: AsyncIterable<Uint8Array>, folder: string | undefined): Promise<void> => {
  let start = Buffer.alloc(0);
  const archive = extract();
  const read = pipeline(async function* () {
    for await (const chunk of content) {
      if (start.length < START_BYTES) start = Buffer.concat([start, chunk]).subarray(0, START_BYTES);
      yield chunk;
    }
  }, archive);
  // The loop gets the error.
  read.catch(() => undefined);
  let isTar = false;
  try {
    for await (const entry of archive) {
      isTar = true;
      const path = entry.header.name.replace(/^(\.\/)+/, '');
      if (path !== '' && folder !== undefined && path.split('/')[0] !== folder)
        throw new DamagedTarball(`holds ${JSON.stringify(path)}, which is not in the folder ${folder}/`);
      entry.resume();
    }
    await read;
  } catch (error) {
    if (isTar || !/tar header|end of data/i.test((error as Error).message)) throw error;
  }
  if (!isTar)
    throw new DamagedTarball(`does not contain a tar archive; its content begins with ${excerpt(start)}`);
};

const excerpt = (bytes: Buffer): string =>
  bytes.length === 0 ? 'nothing' : JSON.stringify(bytes.toString('latin1'));
