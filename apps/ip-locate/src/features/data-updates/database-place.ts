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
import { UpdateFailed } from '../../cli/data-option.ts';

/** What was installed last, so that the same is not downloaded again. */
export interface Installed {
  /** SHA-256 of the database; another file in its place has another */
  readonly database: string;
}

/**
 * A database in a folder, which is replaced as a whole or not at all. Beside `city.mmdb` there are `city.mmdb.part` while it is
 * downloaded, `city.mmdb.<id>.new` while it is verified, `city.mmdb.source`, which says where the installed one came from,
 * `city.mmdb.waiting`, which was kept and not installed, and the empty `city.mmdb.lock`.
 */
export class DatabasePlace {
  readonly path: string;
  readonly part: string;
  /** where the new file is until it is installed; it does not exist yet */
  readonly candidate: string;
  readonly #source: string;
  readonly #waiting: string;
  #fetched: Installed | undefined;

  /** @param path of the database: `/data/city.mmdb` */
  constructor(path: string) {
    this.path = path;
    this.part = `${path}.part`;
    this.candidate = `${path}.${randomUUID()}.new`;
    this.#source = `${path}.source`;
    this.#waiting = `${path}.waiting`;
  }

  exists(): Promise<boolean> {
    return access(this.path).then(
      () => true,
      () => false,
    );
  }

  /** What was installed last; undefined when that is not known, or when the database in place is another. */
  async installed<T extends Installed>(): Promise<T | undefined> {
    if (!(await this.exists())) return undefined;
    let last: T;
    try {
      last = JSON.parse(await readFile(this.#source, 'utf8')) as T;
    } catch {
      // Missing or damaged: everything is downloaded again.
      return undefined;
    }
    return last.database === (await sha256Of(this.path)) ? last : undefined;
  }

  /** Says what the candidate is, for `install`, and for `installed` next time. */
  fetched(record: Installed): void {
    this.#fetched = record;
  }

  /** Runs an update while no other process updates the same file; waits for one that does. */
  async exclusively<R>(update: () => Promise<R>): Promise<R> {
    await mkdir(dirname(this.path), { recursive: true });
    return exclusively(`${this.path}.lock`, async () => {
      await this.#removeLeftovers();
      return update();
    });
  }

  /**
   * Puts the candidate in the place of the database, atomically.
   * @throws UpdateFailed when it is no longer what was unpacked
   */
  async install(): Promise<void> {
    const { path, candidate } = this;
    await sync(candidate);
    if ((await sha256Of(candidate)) !== this.#fetched?.database) {
      throw new UpdateFailed('the file was changed while it was verified');
    }
    // Whoever can read the old one, such as the service, can read the new one, whatever the umask is.
    if (await this.exists()) {
      const { uid, gid, mode } = await stat(path);
      // Only root may give a file away; its owner may choose a group of its own.
      await chown(candidate, uid, gid)
        .catch(() => chown(candidate, -1, gid))
        .catch(() => undefined);
      await chmod(candidate, mode & 0o777);
    }
    await rename(candidate, path);
    await sync(dirname(path));
    await writeFile(this.#source, `${JSON.stringify(this.#fetched)}\n`);
    await rm(this.#waiting, { force: true });
  }

  /** Keeps the candidate beside the database, in place of one that was kept before. @returns where */
  async keep(): Promise<string> {
    await rename(this.candidate, this.#waiting);
    return this.#waiting;
  }

  /** Removes what was downloaded, and the candidate if it was neither installed nor kept. */
  async removeDownloads(): Promise<void> {
    for (const file of [this.part, this.candidate]) await rm(file, { force: true });
  }

  /** What processes that were killed have left; nothing else runs now. */
  async #removeLeftovers(): Promise<void> {
    const folder = dirname(this.path);
    for (const name of await readdir(folder)) {
      if (name.startsWith(`${basename(this.path)}.`) && name.endsWith('.new')) await rm(join(folder, name));
    }
  }
}

export const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
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
