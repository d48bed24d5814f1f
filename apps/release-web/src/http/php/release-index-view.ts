import { type Catalogue, majorOf, type Release } from '@workspace/release-catalogue';
import type { PhpValue } from './php-value.ts';
import {
  findReleases,
  newestOfMajors,
  type ReleaseIndexQuery,
  supportedBranches,
} from '../../domain/release-index.ts';

/** php.net's answer, with status 200, to a version that it does not know. */
export const UNKNOWN_VERSION: PhpValue = { error: 'Unknown version' };

/** `/releases/index.php?json` and `?serialize`. */
export const releaseIndexView = (catalogue: Catalogue, now: Date, query: ReleaseIndexQuery): PhpValue => {
  if (query.version === undefined) {
    return new Map(
      newestOfMajors(catalogue).map(([major, release]) => [
        String(major),
        {
          ...published(release),
          version: release.version,
          supported_versions: supportedBranches(catalogue, major, now),
        },
      ]),
    );
  }
  const found = findReleases(catalogue, query.version);
  if (query.max === undefined) {
    const first = found[0];
    if (!first) return UNKNOWN_VERSION;
    const supported = supportedBranches(catalogue, majorOf(first.version), now);
    return { ...published(first), supported_versions: supported, version: first.version };
  }
  const chosen = query.max === -1 ? found : found.slice(0, Math.max(0, query.max));
  if (chosen.length === 0) return UNKNOWN_VERSION;
  return new Map(chosen.map((release) => [release.version, published(release)]));
};

/** A release's stored members, in stored order. */
export const published = (release: Release): Record<string, PhpValue> =>
  release.published as Record<string, PhpValue>;
