import type { Build, PreRelease, ProductFile } from '../schemas/index.ts';
import { type Compression, tarballName } from './tarball-name.ts';
import type { Catalogue } from './catalogue.ts';

/** The archives of a build in the order in which php.net lists them, which is not that of a release. */
export const BUILD_COMPRESSIONS = ['bz2', 'gz', 'xz'] as const satisfies readonly Compression[];

/** Every slot of every branch, ascending. */
export const preReleases = (catalogue: Catalogue): readonly PreRelease[] =>
  catalogue.branches.flatMap((branch) => branch.pre_releases);

/** `8.4.25RC1`. */
export const buildVersion = ({ version, release }: PreRelease): string =>
  `${version}${release.type}${release.number}`;

/** `https://…/php-8.4.25RC1.tar.xz`. */
export const buildUrl = (product: ProductFile, slot: PreRelease, archive: Compression): string =>
  (slot.release.baseurl ?? '') + tarballName(product, buildVersion(slot), archive);

/** The digest of an archive; undefined when the data has no such member (an empty one is a member). */
export const digestOf = (build: Build, archive: Compression): string | undefined =>
  build[`sha256_${archive}`];

/** Whether there is something to download. */
export const isEnabled = ({ active, release }: PreRelease): boolean =>
  active &&
  release.number >= 1 &&
  Boolean(release.baseurl) &&
  BUILD_COMPRESSIONS.some((archive) => Boolean(digestOf(release, archive)));

/** The versions a bug report may name: per active slot `8.4.25-dev`, then the build if there is one. */
export const devVersions = (slots: readonly PreRelease[]): string[] =>
  slots
    .filter(({ active }) => active)
    .flatMap((slot) => [`${slot.version}-dev`, ...(slot.release.number > 0 ? [buildVersion(slot)] : [])]);

/** The parts of a build's version: `8.4.26RC1` → 8.4.26, RC, 1. The type's case is part of file names; null for anything else. */
export const parseBuildVersion = (
  build: string,
): ({ readonly version: string } & Pick<Build, 'type' | 'number'>) | null => {
  const match = /^(\d+\.\d+\.\d+)(alpha|beta|RC)([1-9]\d*)$/.exec(build);
  return match && { version: match[1]!, type: match[2] as Build['type'], number: Number(match[3]) };
};
