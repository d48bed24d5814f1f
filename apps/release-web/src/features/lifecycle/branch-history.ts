import {
  type AuditEntry,
  type BranchFile,
  isoDate,
  type Release,
  supportDates,
} from '@workspace/release-catalogue';

/** An entry of the audit with the branch as it was afterwards. */
export interface RecordedChange {
  readonly entry: AuditEntry;
  readonly after: BranchFile;
}

/** A branch before its first audit entry, and after each. */
export interface BranchHistory {
  readonly imported: BranchFile;
  readonly entries: readonly RecordedChange[];
}

/** What a branch was, read back from what it is and its audit; exact in its releases, their dates and its support. */
export const branchHistory = (branch: BranchFile): BranchHistory => {
  const entries: RecordedChange[] = [];
  let file = branch;
  for (const entry of [...branch.audit].reverse()) {
    entries.unshift({ entry, after: file });
    file = UNDO[entry.action]?.(file, entry) ?? file;
  }
  return { imported: file, entries };
};

type Undo = (file: BranchFile, entry: AuditEntry) => BranchFile;

/** The release that entered is gone again, and the one before it is back on offer. */
const withoutRelease: Undo = (file, { version }) => {
  const { current, history } = file;
  if (current?.version !== version)
    return { ...file, history: history.filter((one) => one.version !== version) };
  return { ...file, current: history[0] ?? null, history: history.slice(1) };
};

const uncorrected: Undo = (file, { version, changes = [] }) => {
  const undone = (release: Release): Release =>
    release.version === version
      ? changes.reduce(
          (was, { pointer, from }) => withMember(was, pointer.split('/').slice(1), from) as Release,
          release,
        )
      : release;
  return { ...file, current: file.current && undone(file.current), history: file.history.map(undone) };
};

const UNDO: Readonly<Partial<Record<AuditEntry['action'], Undo>>> = {
  promote: withoutRelease,
  import: withoutRelease,
  yank: uncorrected,
  correct: uncorrected,
  retire: (file) =>
    file.current ? file : { ...file, current: file.history[0] ?? null, history: file.history.slice(1) },
  'set-support': (file, { changes = [] }) =>
    changes.reduce((was, { pointer, from }) => {
      const end = ENDS[pointer];
      return end ? withEnd(was, end, from as string | undefined) : was;
    }, file),
};

/** `/overrides/date` only keeps what follows from the first release anyway. */
const ENDS: Readonly<Record<string, 'stable' | 'security'>> = {
  '/overrides/stable': 'stable',
  '/overrides/security': 'security',
};

/** The audit has the day that held before, whether or not that followed from the first release. */
const withEnd = (file: BranchFile, end: 'stable' | 'security', day: string | undefined): BranchFile => {
  const { [end]: _, ...rest } = file.overrides ?? {};
  const { overrides: __, ...others } = file;
  const without: BranchFile = Object.keys(rest).length === 0 ? others : { ...others, overrides: rest };
  const { activeSupportEnd, securitySupportEnd } = supportDates(without);
  const computed = end === 'stable' ? activeSupportEnd : securitySupportEnd;
  if (day === undefined || (computed && isoDate(computed) === day)) return without;
  return { ...others, overrides: { ...rest, [end]: day } };
};

/** A copy with one member as it was; undefined: there was none. @param path the steps of a JSON Pointer */
const withMember = (value: unknown, [member = '', ...rest]: readonly string[], was: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  const before = rest.length === 0 ? was : withMember(copy[member], rest, was);
  if (before === undefined) delete copy[member];
  else copy[member] = before;
  return copy;
};
