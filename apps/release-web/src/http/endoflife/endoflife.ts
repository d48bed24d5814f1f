import {
  type BranchFile,
  type Catalogue,
  isoDate,
  latestRelease,
  type Release,
} from '@workspace/release-catalogue';
import { isSupported, type SupportState, supportState } from '../../domain/support-state.ts';
import { releasePath } from '../paths.ts';
import type { EndoflifeCycleDetail, EndoflifeCycles, EndoflifeProduct, EndoflifeRelease } from './schemas.ts';
import { envelope } from '../api/envelope.ts';

/** The name of the product in endoflife.date's paths: `php`. */
export const productSlug = ({ product: { name } }: Catalogue): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** A branch with the dates that endoflife.date requires. */
interface Cycle extends SupportState {
  readonly branch: BranchFile;
  readonly latest: Release;
  readonly initialRelease: Date;
}

/** Released branches whose first release has a date, newest first. */
const listedCycles = (catalogue: Catalogue, now: Date): readonly Cycle[] =>
  [...catalogue.branches].reverse().flatMap((branch) => {
    const state = supportState(branch, now);
    const { initialRelease } = state;
    const latest = latestRelease(branch);
    return latest && initialRelease ? [{ ...state, branch, latest, initialRelease }] : [];
  });

/** endoflife.date's API v1: `/api/v1/products/php`. @param baseUrl public address, no slash at the end */
export const productOf = (
  catalogue: Catalogue,
  lastModified: Date,
  now: Date,
  baseUrl: string,
): EndoflifeProduct => {
  const { generated_at, last_modified } = envelope(lastModified);
  const { name, feed } = catalogue.product;
  return {
    schema_version: '1.2.0',
    generated_at,
    last_modified,
    result: {
      name: productSlug(catalogue),
      aliases: [],
      label: name,
      category: 'lang',
      tags: ['lang'],
      versionCommand: null,
      identifiers: [],
      labels: { eoas: 'Active Support', discontinued: null, eol: 'Security Support', eoes: null },
      links: { icon: feed.icon, html: `${baseUrl}/releases/`, releasePolicy: null },
      releases: listedCycles(catalogue, now).map((cycle) => releaseView(cycle, now, baseUrl)),
    },
  };
};

const releaseView = (
  { branch, latest, initialRelease, activeSupportEnd, securitySupportEnd }: Cycle,
  now: Date,
  baseUrl: string,
): EndoflifeRelease => ({
  name: branch.branch,
  codename: null,
  label: branch.branch,
  releaseDate: isoDate(initialRelease),
  isLts: false,
  ltsFrom: null,
  isEoas: activeSupportEnd ? now >= activeSupportEnd : !isSupported(branch, now),
  eoasFrom: activeSupportEnd && isoDate(activeSupportEnd),
  isEol: !isSupported(branch, now),
  eolFrom: securitySupportEnd && isoDate(securitySupportEnd),
  isMaintained: isSupported(branch, now),
  latest: { name: latest.version, date: latest.date, link: baseUrl + releasePath(latest) },
  custom: null,
});

/** endoflife.date's first API, which Renovate reads: `/api/php.json`. */
export const cyclesOf = (catalogue: Catalogue, now: Date, baseUrl: string): EndoflifeCycles =>
  listedCycles(catalogue, now).map((cycle) => ({
    cycle: cycle.branch.branch,
    ...detailView(cycle, now, baseUrl),
  }));

/** One cycle of it: `/api/php/8.4.json`; undefined for a branch that it does not list. */
export const cycleOf = (
  catalogue: Catalogue,
  name: string,
  now: Date,
  baseUrl: string,
): EndoflifeCycleDetail | undefined => {
  const cycle = listedCycles(catalogue, now).find(({ branch }) => branch.branch === name);
  return cycle && detailView(cycle, now, baseUrl);
};

const detailView = (
  { branch, latest, initialRelease, activeSupportEnd, securitySupportEnd }: Cycle,
  now: Date,
  baseUrl: string,
): EndoflifeCycleDetail => ({
  releaseDate: isoDate(initialRelease),
  eol: securitySupportEnd ? isoDate(securitySupportEnd) : !isSupported(branch, now),
  latest: latest.version,
  latestReleaseDate: latest.date,
  link: baseUrl + releasePath(latest),
  lts: false,
  support: activeSupportEnd ? isoDate(activeSupportEnd) : isSupported(branch, now),
});
