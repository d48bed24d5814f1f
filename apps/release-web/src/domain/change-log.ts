import {
  type AuditEntry,
  type BranchFile,
  type Catalogue,
  compareVersions,
  type JsonChange,
} from '@workspace/release-catalogue';

/** A change of what is published, with its branch. */
export interface Change {
  readonly branch: string;
  readonly entry: AuditEntry;
}

/** How many entries of the audit of each branch a reader has; a branch that is missing stands for none. */
export type ChangePosition = ReadonlyMap<string, number>;

export interface ChangePage {
  readonly changes: readonly Change[];
  /** where the next page begins */
  readonly position: ChangePosition;
  /** how many more there are now */
  readonly remaining: number;
}

/**
 * The changes after a position. The audit of a branch is only added to, so that a count per branch says what a reader
 * has: on every instance, after a restart, and when a merge brings an older change of another branch later.
 * Earlier ones come first, and those of a branch in the order of its audit.
 */
export const changesAfter = (
  { branches }: Pick<Catalogue, 'branches'>,
  since: ChangePosition,
  limit: number,
): ChangePage => {
  const position = new Map(since);
  const next = ({ branch, audit }: BranchFile): AuditEntry | undefined => audit[position.get(branch) ?? 0];
  const changes: Change[] = [];
  while (changes.length < limit) {
    let first: Change | undefined;
    for (const file of branches) {
      const entry = next(file);
      if (entry && (!first || entry.at < first.entry.at)) first = { branch: file.branch, entry };
    }
    if (!first) break;
    changes.push(first);
    position.set(first.branch, (position.get(first.branch) ?? 0) + 1);
  }
  const remaining = branches.reduce(
    (sum, { branch, audit }) => sum + audit.length - (position.get(branch) ?? 0),
    0,
  );
  return { changes, position, remaining };
};

/** The position before the first change of a day. */
export const positionAt = ({ branches }: Pick<Catalogue, 'branches'>, day: string): ChangePosition =>
  new Map(
    branches.map(({ branch, audit }) => {
      const index = audit.findIndex(({ at }) => at >= day);
      return [branch, index === -1 ? audit.length : index];
    }),
  );

/** `8.4-2_8.5-1`: a position as text. */
export const CURSOR_PATTERN = '^(start|\\d{1,9}\\.\\d{1,9}-\\d{1,9}(_\\d{1,9}\\.\\d{1,9}-\\d{1,9}){0,199})$';

/** The same for a position in whichever order a reader got there: a mirror has one answer for it. */
export const cursorText = (position: ChangePosition): string =>
  [...position]
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => compareVersions(a, b))
    .map(([branch, count]) => `${branch}-${count}`)
    .join('_') || 'start';

/** undefined for a cursor that is ahead of the data: the data was replaced by other data */
export const positionOf = (
  { branches }: Pick<Catalogue, 'branches'>,
  cursor: string,
): ChangePosition | undefined => {
  const parts = cursor === 'start' ? [] : cursor.split('_').map((part) => part.split('-'));
  const position = new Map(parts.map(([branch = '', count]) => [branch, Number(count)]));
  const isKnown = [...position].every(
    ([name, count]) => count <= (branches.find(({ branch }) => branch === name)?.audit.length ?? -1),
  );
  return isKnown ? position : undefined;
};

/** A change of what was already published, as the audit of its branch records it. */
export interface Correction {
  /** calendar date, UTC */
  readonly date: string;
  readonly reason: string;
  readonly changes: readonly JsonChange[];
}

/** The corrections of a release, oldest first. */
export const correctionsOf = ({ audit }: BranchFile, version: string): readonly Correction[] =>
  audit
    .filter((entry) => entry.action === 'correct' && entry.version === version)
    .map(({ at, reason = '', changes = [] }) => ({ date: at.slice(0, 10), reason, changes }));
