import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { openPromise } from 'yauzl';
import { MAX_BYTES } from '../../adapters/mmdb/mmdb-file.ts';
import { UpdateFailed } from '../../cli/data-option.ts';

/**
 * Writes the database that a download contains: the file itself, gzipped (DB-IP), in a tar archive (MaxMind), gzipped or not, or in a
 * zip archive.
 * @param target a file that does not exist yet
 * @param name of the database, such as `city`, which decides between several in an archive
 * @returns the SHA-256 of the database, in hexadecimal
 * @throws UpdateFailed when the archive is damaged or has no database
 */
export const unpack = async (archive: string, target: string, name: string): Promise<string> => {
  try {
    if ((await firstBytes(archive, 4)).equals(ZIP)) return await unpackZip(archive, target, name);
    const members = await tarMembers(archive);
    if (members === undefined) return await save(await contentOf(archive), target);
    const wanted = databaseAmong(members, name);
    for await (const entry of entriesOf(await contentOf(archive))) {
      if (isFile(entry) && entry.header.name === wanted) return await save(entry, target);
      entry.resume();
    }
    throw new UpdateFailed('the archive is damaged');
  } catch (cause) {
    if (cause instanceof UpdateFailed) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    // The disk's errors are not the archive's.
    if (code !== undefined && /^E[A-Z]+$/.test(code)) throw cause;
    throw new UpdateFailed('the archive is damaged', { cause });
  }
};

const ZIP = Buffer.from('PK\u0003\u0004', 'latin1');
const GZIP = Buffer.from([0x1f, 0x8b]);

const firstBytes = async (file: string, length: number): Promise<Buffer> => {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
};

/** What a file contains when it is no longer gzipped. */
const contentOf = async (file: string): Promise<Readable> => {
  const source = createReadStream(file);
  if (!(await firstBytes(file, 2)).equals(GZIP)) return source;
  const unzipped = createGunzip();
  source.once('error', (error) => unzipped.destroy(error));
  return source.pipe(unzipped);
};

/** Old archives do not name their format, but have checksums. The types of tar-stream lack this option. */
const OF_ANY_FORMAT: object = { allowUnknownFormat: true };

/** The members of a tar archive, which have to be read to the end before the next. */
async function* entriesOf(content: Readable) {
  const archive = extract(OF_ANY_FORMAT);
  const read = pipeline(content, archive);
  // The loop gets the error.
  read.catch(() => undefined);
  yield* archive;
  await read;
}

const isFile = ({ header }: { readonly header: { readonly type?: unknown } }): boolean =>
  header.type === 'file' || header.type === 'contiguous-file';

/** The names of the files in a tar archive; undefined when it is not one. */
const tarMembers = async (file: string): Promise<string[] | undefined> => {
  const names: string[] = [];
  let isArchive = false;
  try {
    for await (const entry of entriesOf(await contentOf(file))) {
      isArchive = true;
      if (isFile(entry)) names.push(entry.header.name);
      entry.resume();
    }
  } catch (error) {
    if (!isArchive && /tar header|end of data/i.test((error as Error).message)) return undefined;
    throw error;
  }
  return isArchive ? names : undefined;
};

/** The database in an archive: the one whose name has the word, or the first one. macOS adds `._` files, which are not databases. */
const databaseAmong = (members: readonly string[], word: string): string => {
  const databases = members.filter((member) => /\.mmdb$/i.test(member) && !basename(member).startsWith('.'));
  const found = databases.find((member) => basename(member).toLowerCase().includes(word)) ?? databases[0];
  if (found === undefined) throw new UpdateFailed('the archive has no database');
  return found;
};

const unpackZip = async (file: string, target: string, name: string): Promise<string> => {
  const zip = await openPromise(file, { lazyEntries: true, autoClose: false });
  try {
    const entries = [];
    for await (const entry of zip.eachEntry()) entries.push(entry);
    const wanted = databaseAmong(
      entries.map(({ fileName }) => fileName),
      name,
    );
    return await save(
      await zip.openReadStreamPromise(entries.find(({ fileName }) => fileName === wanted)!),
      target,
    );
  } finally {
    zip.close();
  }
};

/** @returns the SHA-256 of what was written */
const save = async (content: AsyncIterable<unknown>, target: string): Promise<string> => {
  const hash = createHash('sha256');
  let length = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      hash.update(chunk);
      if (length <= MAX_BYTES) done(null, chunk);
      else done(new UpdateFailed('the archive is larger than any database'));
    },
  });
  await pipeline(content, counted, createWriteStream(target, { flags: 'wx' }));
  return hash.digest('hex');
};
