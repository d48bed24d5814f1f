import type { BranchFile, JsonChange } from '@workspace/release-catalogue';

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
