import { type Static, Type } from '@sinclair/typebox';
import { PreRelease, Release, RetiredBuild } from './release.ts';
import { BranchName, CalendarDate, exact, Instant, RecordedVersion } from './scalars.ts';

/** Dates that replace the computed ones. An entry without `date` says: the first release's date is unknown. */
export const Overrides = Type.Object(
  {
    date: Type.Optional(CalendarDate),
    stable: Type.Optional(CalendarDate),
    security: Type.Optional(CalendarDate),
  },
  exact,
);
export type Overrides = Static<typeof Overrides>;

/** What was changed after publication, when and why. Written by the CLI, only ever appended to. */
export const AuditEntry = Type.Object(
  {
    at: Instant,
    action: Type.Union(
      (
        [
          'add-pre-release',
          'promote',
          'yank',
          'correct',
          'retire',
          'import',
          'remove-slot',
          'set-support',
        ] as const
      ).map((action) => Type.Literal(action)),
    ),
    version: Type.String(),
    reason: Type.Optional(Type.String({ minLength: 1 })),
    changes: Type.Optional(
      Type.Array(
        Type.Object(
          { pointer: Type.String(), from: Type.Optional(Type.Unknown()), to: Type.Optional(Type.Unknown()) },
          exact,
        ),
      ),
    ),
  },
  exact,
);
export type AuditEntry = Static<typeof AuditEntry>;

/**
 * `branches/<branch>.json`: everything about one branch, so that every change, a promotion included, is the atomic
 * replacement of one file.
 */
export const BranchFile = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    branch: BranchName,
    updated: {
      ...Instant,
      description: 'when these facts last changed; the newest of all files is the revision',
    },
    imported: Type.Optional({
      ...RecordedVersion,
      description:
        'the newest release that was imported: up to it, what was never written down (kind, digests) may be missing',
    }),
    overrides: Type.Optional(Overrides),
    expected: Type.Optional({
      ...CalendarDate,
      description: 'expected date of the first release, for a branch that has none yet',
    }),
    current: Type.Union([Release, Type.Null()], {
      description: 'the release on offer; null when out of the current table',
    }),
    history: Type.Array(Release, { description: 'earlier releases, newest first' }),
    pre_releases: Type.Array(PreRelease),
    retired_builds: Type.Array(RetiredBuild),
    audit: Type.Array(AuditEntry),
  },
  { ...exact, $id: 'branch', title: 'release-web: one branch' },
);
export type BranchFile = Static<typeof BranchFile>;
