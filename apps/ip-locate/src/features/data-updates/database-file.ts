import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  access,
  chmod,
  chown,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { exclusively } from '@workspace/file-lock';
import { httpRequest, RequestFailed } from '@workspace/http-client';
import { UpdateFailed } from '../../cli/data-option.ts';
import type { Candidate, DatabaseFile, Offer, Progress } from './update-database.ts';
import { download, type DownloadOptions } from './download.ts';
import { MAX_BYTES, unpack } from './unpack.ts';

/** What was installed last, so that the same is not downloaded again. */
interface Installed {
  readonly url: string;
  readonly validator?: string;
  /** of what was downloaded */
  readonly sha256: string;
  /** SHA-256 of the database itself; another file in its place has another */
  readonly database: string;
}

export interface DatabaseFileOptions {
  /** the database in its place: `/data/city.mmdb` */
  readonly path: string;
  /** when a file was built; null when it does not say */
  readonly builtAt: (path: string) => Promise<Date | null>;
  readonly retry?: RetryOptions;
}
export type RetryOptions = Pick<DownloadOptions, 'attempts' | 'retryMs' | 'stallMs'>;

/**
 * A database in a folder. Beside `city.mmdb` there are `city.mmdb.part` while it is downloaded, `city.mmdb.<id>.new` while it is
 * verified, `city.mmdb.source`, which says where the installed one came from,
 * `city.mmdb.waiting`, which was kept and not installed, and the empty `city.mmdb.lock`.
 */
export const databaseFile = ({ path, builtAt, retry }: DatabaseFileOptions): DatabaseFile => {
  const place = placeOf<Installed>(path, builtAt);
  const { part, candidate } = place;
  return {
    ...place,
    async fetch(offers: readonly Offer[], progress: Progress): Promise<Candidate | 'not-modified'> {
      const last = await place.installed();
      for (const { url, headers = {}, sha256, sha256Url } of offers) {
        const expected =
          sha256 ?? (sha256Url === undefined ? undefined : await checksumAt(sha256Url, headers));
        if (expected !== undefined && expected === last?.sha256) return 'not-modified';
        const known = expected === undefined && last?.url === url ? last.validator : undefined;
        try {
          const got = await download(url, { headers, part, known, progress, maxBytes: MAX_BYTES, ...retry });
          if (got.outcome === 'not-found') continue;
          if (got.outcome === 'not-modified') return 'not-modified';
          const actual = await sha256Of(part);
          if (expected !== undefined && actual !== expected)
            throw new UpdateFailed(`the file's SHA-256 is ${actual}, not ${expected}`);
          const database = await unpack(part, candidate, basename(path, '.mmdb'));
          place.fetched({
            url,
            sha256: actual,
            database,
            ...(got.validator !== undefined && { validator: got.validator }),
          });
          return { file: candidate };
        } catch (error) {
          await place.discard();
          throw error;
        }
      }
      throw new UpdateFailed(`not found: ${offers.map(({ url }) => url).join(', ')}`);
    },
  };
};

/** What all ways to get a database have in common: the files beside it, and that it is replaced as a whole or not at all. */
export const placeOf = <T extends { readonly database: string }>(
  path: string,
  builtAt: DatabaseFileOptions['builtAt'],
) => {
  const part = `${path}.part`;
  const candidate = `${path}.${randomUUID()}.new`;
  const source = `${path}.source`;
  const waiting = `${path}.waiting`;
  let fetched: T | undefined;
  const discard = async (): Promise<void> => {
    for (const file of [part, candidate]) await rm(file, { force: true });
  };
  /** What processes that were killed have left; nothing else runs now. */
  const removeLeftovers = async (): Promise<void> => {
    const folder = dirname(path);
    for (const name of await readdir(folder)) {
      if (name.startsWith(`${basename(path)}.`) && name.endsWith('.new')) await rm(join(folder, name));
    }
  };

  return {
    part,
    /** where the new file is until it is installed; it does not exist yet */
    candidate,
    discard,
    /** What was installed last; undefined when that is not known, or when the database in place is another. */
    async installed(): Promise<T | undefined> {
      if (!(await exists(path))) return undefined;
      let last: T;
      try {
        last = JSON.parse(await readFile(source, 'utf8')) as T;
      } catch {
        // Missing or damaged: everything is downloaded again.
        return undefined;
      }
      return last.database === (await sha256Of(path)) ? last : undefined;
    },
    /** Says what the candidate is, for `install`, and for `installed` next time. */
    fetched(record: T): void {
      fetched = record;
    },
    async exclusively<R>(update: () => Promise<R>): Promise<R> {
      await mkdir(dirname(path), { recursive: true });
      return exclusively(`${path}.lock`, async () => {
        await removeLeftovers();
        return update();
      });
    },
    async install({ file }: Candidate): Promise<void> {
      await sync(file);
      if ((await sha256Of(file)) !== fetched?.database) {
        throw new UpdateFailed('the file was changed while it was verified');
      }
      // Whoever can read the old one, such as the service, can read the new one, whatever the umask is.
      if (await exists(path)) {
        const { uid, gid, mode } = await stat(path);
        // Only root may give a file away; its owner may choose a group of its own.
        await chown(file, uid, gid)
          .catch(() => chown(file, -1, gid))
          .catch(() => undefined);
        await chmod(file, mode & 0o777);
      }
      await rename(file, path);
      await sync(dirname(path));
      await writeFile(source, `${JSON.stringify(fetched)}\n`);
      await rm(waiting, { force: true });
      await discard();
    },
    async keep({ file }: Candidate): Promise<string> {
      await rename(file, waiting);
      await discard();
      return waiting;
    },
    builtAt: async () => ((await exists(path)) ? builtAt(path) : null),
  };
};

const exists = async (path: string): Promise<boolean> => {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
};

export const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
};

const checksumAt = async (url: string, headers: Readonly<Record<string, string>>): Promise<string> => {
  const bounds = { maxBytes: 64 * 1024, timeoutMs: 30_000 };
  const { host } = new URL(url);
  return httpRequest(url, { headers, ...bounds }, async ({ status, body }) => {
    // The file may go on; one of a server that misbehaves may never end.
    let text = '';
    for await (const chunk of body) {
      text += chunk.toString('latin1');
      if (text.length > 64) break;
    }
    const checksum = /^[0-9a-f]{64}\b/i.exec(text)?.[0];
    if (status === 200 && checksum !== undefined) return checksum.toLowerCase();
    const hint = status === 401 || status === 403 ? ': check account and key' : '';
    throw new UpdateFailed(`${host} answered ${status} when asked for the checksum${hint}`);
  }).catch((cause: unknown) => {
    if (!(cause instanceof RequestFailed)) throw cause;
    throw new UpdateFailed(`the checksum cannot be read: ${cause.message}`, { cause });
  });
};

/** Until this returns, a power failure may lose what was written. */
const sync = async (path: string): Promise<void> => {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
