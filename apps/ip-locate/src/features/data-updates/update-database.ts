import { UpdateFailed } from '../../cli/data-option.ts';
import { isToCome } from '../../domain/build-date.ts';
import type { DatabasePlace } from './database-place.ts';
import { metadataOf } from './verification.ts';

export interface UpdateDeps {
  /**
   * Downloads a candidate.
   * @returns whether there is one; false when the server still has what was installed last
   * @throws UpdateFailed
   */
  readonly fetch: () => Promise<boolean>;
  /**
   * Opens and verifies a file as the service does.
   * @throws UpdateFailed saying why the service would reject it
   */
  readonly verify: (file: string) => Promise<void>;
  /** Says why a verified file is to wait and not to replace the one in place; undefined: it may. @throws UpdateFailed */
  readonly examine: (file: string) => Promise<string | undefined>;
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
 * verification, with an entry for a known address, not of the future, and not older than the one in place. One without a date
 * replaces none that has one, nor one without an address family one that has it. A damaged one in place is no reason to keep it.
 * @throws UpdateFailed; the database in place stays
 */
export const updateDatabase = (place: DatabasePlace, deps: UpdateDeps): Promise<UpdateResult> =>
  place.exclusively(() => update(place, deps).finally(() => place.removeDownloads()));

const update = async (
  place: DatabasePlace,
  { fetch, verify, examine, now }: UpdateDeps,
): Promise<UpdateResult> => {
  const inPlace = (await place.exists()) ? await metadataOf(place.path) : undefined;
  const dated = inPlace?.builtAt ?? null;
  // Everything would be older than a file with a wrong date.
  const present = dated && isToCome(dated, now) ? null : dated;
  if (!(await fetch())) return { outcome: 'current', builtAt: present };
  await verify(place.candidate);
  const { builtAt = null, families = [] } = (await metadataOf(place.candidate)) ?? {};
  const lost = inPlace?.families.find((family) => !families.includes(family));
  if (lost) throw new UpdateFailed(`the file has no IPv${lost} addresses, and the one in use has`);
  if (builtAt && isToCome(builtAt, now)) {
    throw new UpdateFailed(`the file is of ${day(builtAt)}, which is still to come`);
  }
  if (present) {
    if (!builtAt) throw new UpdateFailed('the file has no date, and may be older than the one in use');
    if (builtAt < present)
      throw new UpdateFailed(`the file is of ${day(builtAt)}, older than the one in use of ${day(present)}`);
  }
  const reason = await examine(place.candidate);
  if (reason !== undefined) {
    return { outcome: 'waiting', builtAt: present, waiting: { file: await place.keep(), reason } };
  }
  await place.install();
  const same = present !== null && builtAt?.getTime() === present.getTime();
  return { outcome: same ? 'current' : 'updated', builtAt };
};

const day = (date: Date): string => date.toISOString().slice(0, 10);
