import {
  type BranchFile,
  type Catalogue,
  compareVersions,
  isoDate,
  releasesOf,
} from '@workspace/release-catalogue';
import { knownSupportDates } from '../../domain/support-state.ts';
import { branchHistory } from './branch-history.ts';
import type { Cle } from './cle-schema.ts';

type Event = Cle['events'][number];
type Numbered = 'id' | 'published';
/** A fact about a branch, as an event states it. */
type Fact = Event extends infer E ? (E extends { type: 'withdrawn' } ? never : Omit<E, Numbered>) : never;

/** An event with its branch. */
export interface BranchEvent {
  readonly branch: string;
  readonly event: Event;
}

/** What becomes of one fact at one time, before events have ids. */
interface Step {
  readonly branch: string;
  readonly published: string;
  /** names the fact; the same for its successor, when a day is moved */
  readonly name: string;
  /** undefined: it no longer holds */
  readonly fact: Fact | undefined;
  readonly reason?: string | undefined;
}

/**
 * The events of all branches in the order of their ids. Events are only added: what changes is withdrawn and said again. They follow from the
 * facts as they were imported and from the audit, which is only added to, so ids are the same on every instance.
 */
export const lifecycleEvents = ({ branches }: Pick<Catalogue, 'branches'>): readonly BranchEvent[] => {
  const histories = branches.map(branchSteps);
  // What was imported comes first: whatever its date, it is older than the audit.
  const steps = [
    ...histories.flatMap(({ imported }) => imported).sort(byPublication),
    ...histories.flatMap(({ recorded }) => recorded).sort(byPublication),
  ];
  const events: BranchEvent[] = [];
  const ids = new Map<string, number>();
  const add = (branch: string, event: Omit<Event, 'id'>): number => {
    const id = events.length + 1;
    events.push({ branch, event: { id, ...event } as Event });
    return id;
  };
  for (const { branch, published, name, fact, reason } of steps) {
    const key = `${branch} ${name}`;
    const eventId = ids.get(key);
    if (eventId !== undefined) {
      const withdrawn = { type: 'withdrawn' as const, effective: published, published, eventId };
      add(branch, { ...withdrawn, ...(reason !== undefined && { reason }) });
      ids.delete(key);
    }
    if (fact) ids.set(key, add(branch, { ...fact, published }));
  }
  return events;
};

const byPublication = (a: Step, b: Step): number =>
  a.published < b.published ? -1 : Number(a.published > b.published);

/** What became of the facts of a branch: those that were imported, and what the audit changed. */
const branchSteps = (branch: BranchFile) => {
  const { imported, entries } = branchHistory(branch);
  let before = factsOf(imported);
  const newest = releasesOf(imported).reduce((day, { date }) => (date > day ? date : day), '');
  const first = [...before].map(([name, fact]): Step => {
    // When an end was announced is not on record: by the newest release beside it at the latest.
    const known = midnight(newest);
    const published = fact.effective < known ? fact.effective : known;
    return { branch: branch.branch, published, name, fact };
  });
  const recorded = entries.flatMap(({ entry, after }): Step[] => {
    const facts = factsOf(after);
    const changed = [...new Set([...before.keys(), ...facts.keys()])].filter(
      (name) => JSON.stringify(before.get(name)) !== JSON.stringify(facts.get(name)),
    );
    before = facts;
    const { at: published, reason } = entry;
    return changed.map((name) => ({ branch: branch.branch, published, name, fact: facts.get(name), reason }));
  });
  return { imported: first, recorded };
};

/** Everything that holds about a branch, by name, oldest release first. */
const factsOf = (file: BranchFile): ReadonlyMap<string, Fact> => {
  const facts = new Map<string, Fact>();
  const { initialRelease, activeSupportEnd, securitySupportEnd } = knownSupportDates(file);
  const releases = releasesOf(file).sort((a, b) => compareVersions(a.version, b.version));
  releases.forEach(({ version, date }, index) => {
    // The day of the branch's first release is php.net's: for some it is not that of the file.
    const effective = index === 0 && initialRelease ? isoDate(initialRelease) : date;
    facts.set(`released ${version}`, { type: 'released', effective: midnight(effective), version });
  });
  for (const { version, yanked } of releases) {
    if (!yanked) continue;
    const ended = { type: 'endOfLife' as const, effective: midnight(yanked.date), versions: [{ version }] };
    facts.set(`withdrawal ${version}`, { ...ended, description: yanked.reason });
  }
  const versions = [{ range: rangeOf(file) }];
  // Without a first release, php.net says no state.
  if (initialRelease && activeSupportEnd) {
    const effective = midnight(isoDate(activeSupportEnd));
    facts.set('active', { type: 'endOfSupport', effective, versions, supportId: 'active' });
  }
  if (securitySupportEnd) {
    const effective = midnight(isoDate(securitySupportEnd));
    facts.set('security', { type: 'endOfSupport', effective, versions, supportId: 'security' });
    facts.set('life', { type: 'endOfLife', effective, versions });
  }
  return facts;
};

/** The versions of a branch, as VERS writes it. */
const rangeOf = ({ branch }: BranchFile): string => {
  const [major = '', minor = ''] = branch.split('.');
  return `vers:generic/>=${branch}.0|<${major}.${Number(minor) + 1}.0`;
};

const midnight = (day: string): string => `${day}T00:00:00Z`;

/** When the facts of these branches last changed. */
export const recordedAt = (branches: readonly BranchFile[]): string =>
  branches
    .map(({ updated }) => updated)
    .sort()
    .at(-1)!;
