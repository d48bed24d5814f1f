import { type Static, Type } from '@sinclair/typebox';
import { DateTime } from '@workspace/schemas';
import { CveId } from '@workspace/release-catalogue';
import { releasePath } from '../../domain/paths.ts';
import type { BranchFix, Vulnerability } from './vulnerability.ts';

const Instant = { ...DateTime, examples: ['2026-07-30T00:00:00Z'] };

/** A vulnerability in the format of OSV (schema 1.7). */
export const Osv = Type.Object(
  {
    schema_version: Type.Literal('1.7.5'),
    id: CveId,
    modified: Instant,
    published: Type.Optional({ ...Instant, description: 'the day of the first release that fixes it' }),
    withdrawn: Type.Optional({
      ...Instant,
      description: 'when a correction said that no release fixes it after all',
    }),
    affected: Type.Array(
      Type.Object({
        ranges: Type.Array(
          Type.Object({
            type: Type.Literal('SEMVER'),
            events: Type.Array(
              Type.Union([
                Type.Object({ introduced: Type.String() }),
                Type.Object({ fixed: Type.String() }),
                Type.Object({ last_affected: Type.String() }),
              ]),
              { examples: [[{ introduced: '8.4.0' }, { fixed: '8.4.24' }]] },
            ),
          }),
        ),
        versions: Type.Array(Type.String(), { examples: [['8.4.23']] }),
      }),
    ),
    references: Type.Array(
      Type.Object({
        type: Type.Union([Type.Literal('ADVISORY'), Type.Literal('WEB')]),
        url: Type.String({ format: 'uri', examples: ['https://www.cve.org/CVERecord?id=CVE-2026-17544'] }),
      }),
    ),
  },
  { $id: 'Osv' },
);
export type Osv = Static<typeof Osv>;

/**
 * A branch from its first release to the fix. OSV has no ecosystem for PHP itself, so there is no package; and a branch whose
 * first release has the fix was never affected.
 */
const affectedView = ({ branch, since, affected }: BranchFix): Osv['affected'] => {
  const last = affected.at(-1);
  if (!last) return [];
  // Without an end, the range would have the releases of later branches, too.
  const end = since ? { fixed: since.version } : { last_affected: last.version };
  return [
    {
      ranges: [{ type: 'SEMVER', events: [{ introduced: `${branch.branch}.0` }, end] }],
      versions: affected.map(({ version }) => version),
    },
  ];
};

/** @param baseUrl public address, no slash at the end */
export const osvRecord = ({ cve, branches, takenBack }: Vulnerability, baseUrl: string): Osv => {
  const releases = branches.flatMap(({ since }) => since ?? []);
  const first = releases.map(({ date }) => date).sort()[0];
  // Importers skip a record that is older than the one they have.
  const modified = branches
    .map(({ branch }) => branch.updated)
    .concat(takenBack ?? [])
    .sort()
    .at(-1)!;
  return {
    schema_version: '1.7.5',
    id: cve,
    modified,
    ...(branches.length === 0 && { withdrawn: modified }),
    ...(first !== undefined && { published: `${first}T00:00:00Z` }),
    affected: branches.flatMap(affectedView),
    references: [
      { type: 'ADVISORY', url: `https://www.cve.org/CVERecord?id=${cve}` },
      ...releases.map((release) => ({
        type: 'WEB' as const,
        url: new URL(releasePath(release), baseUrl).href,
      })),
    ],
  };
};
