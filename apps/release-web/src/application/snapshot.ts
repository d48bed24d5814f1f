import type { Catalogue, PreRelease } from '@workspace/release-catalogue';
import { preReleases } from '@workspace/release-catalogue';
import { type Announcement, announcements } from '../domain/announcement.ts';
import { transitions } from '../domain/transitions.ts';

/** What the facts mean at one instant, and how long that holds. Never changed, only replaced. */
export interface Snapshot {
  readonly catalogue: Catalogue;
  readonly builtAt: Date;
  /** the next moment at which an answer changes without a new fact; null: only new facts change it */
  readonly nextTransition: Date | null;
  /** the newest of the data's revision and the last transition */
  readonly lastModified: Date;
  /** the entries of the feeds */
  readonly announcements: readonly Announcement[];
  /** the pre-release slots of all branches, ascending */
  readonly preReleases: readonly PreRelease[];
}

/** Works out what the facts mean at an instant. */
export const buildSnapshot = (catalogue: Catalogue, now: Date): Snapshot => {
  const moments = transitions(catalogue);
  const last = moments.findLast(({ at }) => at <= now)?.at ?? catalogue.revision;
  return Object.freeze({
    catalogue,
    builtAt: now,
    nextTransition: moments.find(({ at }) => at > now)?.at ?? null,
    lastModified: catalogue.revision > last ? catalogue.revision : last,
    announcements: announcements(catalogue, now),
    preReleases: preReleases(catalogue),
  });
};

/** Whether a snapshot holds at an instant. A clock that was set back leaves its span too. */
export const holdsAt = ({ builtAt, nextTransition }: Snapshot, now: Date): boolean => {
  const instant = now.getTime();
  return instant >= builtAt.getTime() && (nextTransition === null || instant < nextTransition.getTime());
};
