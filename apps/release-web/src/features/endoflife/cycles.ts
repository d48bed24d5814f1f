import {
  type BranchFile,
  type Catalogue,
  isoDate,
  latestRelease,
  type Release,
} from '@workspace/release-catalogue';
import { isSupported, type SupportState, supportState } from '../../domain/support-state.ts';
import { releasePath } from '../../domain/paths.ts';
import type { EndoflifeCycles } from './schemas.ts';

/** The name of the product in endoflife.date's paths: `php`. */
export const productSlug = ({ product: { name } }: Catalogue): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** A branch with the dates that endoflife.date requires. */
export interface Cycle extends SupportState {
  readonly branch: BranchFile;
  readonly latest: Release;
  readonly initialRelease: Date;
}

/** Released branches whose first release has a date, newest first. */
export const listedCycles = (catalogue: Catalogue, now: Date): readonly Cycle[] =>
  [...catalogue.branches].reverse().flatMap((branch) => {
    const state = supportState(branch, now);
    const { initialRelease } = state;
    const latest = latestRelease(branch);
    return latest && initialRelease ? [{ ...state, branch, latest, initialRelease }] : [];
  });

/** endoflife.date's first API, which Renovate reads: `/api/php.json`. */
export const cyclesOf = (catalogue: Catalogue, now: Date, baseUrl: string): EndoflifeCycles =>
  listedCycles(catalogue, now).map(
    ({ branch, latest, initialRelease, activeSupportEnd, securitySupportEnd }) => ({
      cycle: branch.branch,
      releaseDate: isoDate(initialRelease),
      eol: securitySupportEnd ? isoDate(securitySupportEnd) : !isSupported(branch, now),
      latest: latest.version,
      latestReleaseDate: latest.date,
      link: baseUrl + releasePath(latest),
      lts: false,
      support: activeSupportEnd ? isoDate(activeSupportEnd) : isSupported(branch, now),
    }),
  );
