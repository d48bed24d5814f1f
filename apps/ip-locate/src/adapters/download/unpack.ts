import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { UpdateFailed } from '../../application/update-database.ts';

const BLOCK = 512;
/** More than any database; a file that is larger, or unpacks to more, is not one. */
export const MAX_BYTES = 4 * 2 ** 30;

/**
 * Writes the database that a download contains: the file itself, gzipped (DB-IP), or in a gzipped tar archive (MaxMind).
 * @param target a file that does not exist yet
 * @returns the SHA-256 of the database, in hexadecimal
 * @throws UpdateFailed when the archive is damaged or has no database
 */
export const unpack = async (archive: string, target: string): Promise<string> => {
  const gzipped = await startsWithGzip(archive);
  const member = new DatabaseMember();
  const hash = createHash('sha256');
  member.on('data', (chunk: Buffer) => hash.update(chunk));
  try {
    const source = createReadStream(archive);
    const output = createWriteStream(target, { flags: 'wx' });
    await (gzipped ? pipeline(source, createGunzip(), member, output) : pipeline(source, member, output));
    return hash.digest('hex');
  } catch (cause) {
    if (cause instanceof UpdateFailed) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    // The disk's errors are not the archive's.
    if (code !== undefined && !code.startsWith('Z_')) throw cause;
    throw new UpdateFailed('the archive is damaged', { cause });
  }
};

const startsWithGzip = async (file: string): Promise<boolean> => {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await handle.close();
  }
};

/**
 * Passes on the first `.mmdb` file of a tar archive (POSIX ustar, https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html),
 * and everything of a file that is no archive.
 */
export class DatabaseMember extends Transform {
  #kind: 'unknown' | 'plain' | 'tar' = 'unknown';
  #waiting: Buffer = Buffer.alloc(0);
  /** bytes of the current member, and of its padding, that are still to come */
  #content = 0;
  #padding = 0;
  #wanted = false;
  #passed = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.#take(chunk);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    if (this.#kind === 'unknown') this.#pass(this.#waiting);
    if (this.#content > 0) return done(new UpdateFailed('the archive ends too early'));
    if (this.#kind === 'tar' && this.#passed === 0)
      return done(new UpdateFailed('the archive has no database'));
    done();
  }

  #take(chunk: Buffer): void {
    if (this.#kind === 'plain') return this.#pass(chunk);
    let bytes = this.#waiting.length > 0 ? Buffer.concat([this.#waiting, chunk]) : chunk;
    while (bytes.length > 0) {
      if (this.#content > 0) {
        const part = bytes.subarray(0, this.#content);
        if (this.#wanted) this.#pass(part);
        this.#content -= part.length;
        bytes = bytes.subarray(part.length);
      } else if (this.#padding > 0) {
        const skipped = Math.min(this.#padding, bytes.length);
        this.#padding -= skipped;
        bytes = bytes.subarray(skipped);
      } else if (bytes.length < BLOCK) {
        break;
      } else if (this.#kind === 'unknown' && bytes.toString('latin1', 257, 262) !== 'ustar') {
        this.#kind = 'plain';
        return this.#pass(bytes);
      } else {
        this.#kind = 'tar';
        this.#startMember(bytes.subarray(0, BLOCK));
        bytes = bytes.subarray(BLOCK);
      }
    }
    this.#waiting = bytes;
  }

  #startMember(header: Buffer): void {
    const name = header.toString('utf8', 0, 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(header.toString('latin1', 124, 136), 8) || 0;
    const regular = header[156] === 0x30 || header[156] === 0;
    this.#wanted = regular && name.endsWith('.mmdb') && this.#passed === 0;
    this.#content = size;
    this.#padding = (BLOCK - (size % BLOCK)) % BLOCK;
  }

  #pass(bytes: Buffer): void {
    this.#passed += bytes.length;
    if (this.#passed > MAX_BYTES) throw new UpdateFailed('the archive is larger than any database');
    this.push(bytes);
  }
}
