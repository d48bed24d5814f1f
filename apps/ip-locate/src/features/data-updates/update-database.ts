import type { DatabaseInfo } from '../../application/location-database.ts';
import { UpdateFailed } from '../../cli/data-option.ts';
import { isToCome } from '../../domain/build-date.ts';

/** Where a newer database may be. */
export interface Offer {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** of the file at `url`, in hexadecimal */
  readonly sha256?: string;
  /** a file that starts with that checksum */
  readonly sha256Url?: string;
}

/** Bytes so far, of how many; the total is undefined when the server does not say. */
export type Progress = (received: number, total: number | undefined) => void;

/** A database that has been downloaded and unpacked, not yet in its place. */
export interface Candidate {
  readonly file: string;
}

/** Port: one database file, and what is downloaded to replace it. */
export interface DatabaseFile {
  /** Runs an update while no other process updates the same file; waits for one that does. */
  exclusively<T>(update: () => Promise<T>): Promise<T>;
  /**
   * Downloads the first offer that exists, checks the checksum and unpacks.
   * @returns `not-modified` when the server still has what was installed last
   * @throws UpdateFailed
   */
  fetch(offers: readonly Offer[], progress: Progress): Promise<Candidate | 'not-modified'>;
  /**
   * Puts the candidate in the place of the database, atomically.
   * @throws UpdateFailed when it is no longer what was unpacked
   */
  install(candidate: Candidate): Promise<void>;
  /** Keeps the candidate beside the database, in place of one that was kept before. @returns where */
  keep(candidate: Candidate): Promise<string>;
  /** Forgets the candidate and what was downloaded. */
  discard(candidate: Candidate): Promise<void>;
  /** when the database in place was built; null when it is missing or has no build date */
  builtAt(): Promise<Date | null>;
}

export interface UpdateDeps {
  readonly database: DatabaseFile;
  /**
   * Opens and verifies a file as the service does.
   * @param knownAddress an address whose entry must not be empty
   * @throws UpdateFailed saying why the service would reject it
   */
  readonly verify: (file: string, knownAddress: string) => Promise<DatabaseInfo>;
  /** Says why a verified file is to wait and not to replace the one in place; undefined: it may. @throws UpdateFailed */
  readonly examine?: ((file: string) => Promise<string | undefined>) | undefined;
  readonly progress: Progress;
  readonly now: Date;
}

export interface UpdateResult {
  readonly outcome: 'updated' | 'current' | 'waiting';
  /** when the database in place was built */
  readonly builtAt: Date | null;
  /** the new file, and why it waits */
  readonly waiting?: { readonly file: string; readonly reason: string };
}

/**
 * Replaces a database by a newer one that has proved itself: complete, its checksum right, accepted by the service's own
 * verification, with an entry for a known address, not of the future, and not older than the one in place.
 * @throws UpdateFailed; the database in place stays
 */
export const updateDatabase = (
  offers: readonly Offer[],
  knownAddress: string,
  deps: UpdateDeps,
): Promise<UpdateResult> => deps.database.exclusively(() => update(offers, knownAddress, deps));

const update = async (
  offers: readonly Offer[],
  knownAddress: string,
  { database, verify, examine, progress, now }: UpdateDeps,
): Promise<UpdateResult> => {
  const inPlace = await database.builtAt();
  // Everything would be older than a file with a wrong date.
  const present = inPlace && isToCome(inPlace, now) ? null : inPlace;
  const candidate = await database.fetch(offers, progress);
  if (candidate === 'not-modified') return { outcome: 'current', builtAt: present };
  try {
    const { builtAt } = await verify(candidate.file, knownAddress);
    if (builtAt && isToCome(builtAt, now)) {
      throw new UpdateFailed(`the file is of ${day(builtAt)}, which is still to come`);
    }
    if (present && builtAt && builtAt < present) {
      throw new UpdateFailed(`the file is of ${day(builtAt)}, older than the one in use of ${day(present)}`);
    }
    const reason = await examine?.(candidate.file);
    if (reason !== undefined) {
      const waiting = { file: await database.keep(candidate), reason };
      return { outcome: 'waiting', builtAt: present, waiting };
    }
    await database.install(candidate);
    const same = present !== null && builtAt?.getTime() === present.getTime();
    return { outcome: same ? 'current' : 'updated', builtAt };
  } catch (error) {
    await database.discard(candidate);
    throw error;
  }
};

const day = (date: Date): string => date.toISOString().slice(0, 10);
