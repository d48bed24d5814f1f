import type { Build, PreRelease } from '../data/index.ts';
import type { Catalogue } from './catalogue.ts';

/** In php.net's order: archives are listed bz2, gz, xz. */
export const ARCHIVES = ['bz2', 'gz', 'xz'] as const;
export type Archive = (typeof ARCHIVES)[number];

/** Every slot of every branch, ascending. */
export const preReleases = (catalogue: Catalogue): readonly PreRelease[] =>
  catalogue.branches.flatMap((branch) => branch.pre_releases);

/** `8.4.25RC1`. */
export const buildVersion = ({ version, release }: PreRelease): string =>
  `${version}${release.type}${release.number}`;

/** `https://…/php-8.4.25RC1.tar.xz`. */
export const buildUrl = (slot: PreRelease, archive: Archive): string =>
  `${slot.release.baseurl ?? ''}php-${buildVersion(slot)}.tar.${archive}`;

/** The digest of an archive; undefined when the data has no such member (an empty one is a member). */
export const digestOf = (build: Build, archive: Archive): string | undefined => build[`sha256_${archive}`];

/** Whether there is something to download. */
export const isEnabled = ({ active, release }: PreRelease): boolean =>
  active &&
  release.number >= 1 &&
  Boolean(release.baseurl) &&
  ARCHIVES.some((archive) => Boolean(digestOf(release, archive)));

/** The versions a bug report may name: per active slot `8.4.25-dev`, then the build if there is one. */
export const devVersions = (slots: readonly PreRelease[]): string[] =>
  slots
    .filter(({ active }) => active)
    .flatMap((slot) => [`${slot.version}-dev`, ...(slot.release.number > 0 ? [buildVersion(slot)] : [])]);
