import type { Release } from '../schemas/index.ts';

/**
 * Whether a release fixes security issues: it is marked so, or CVEs that it fixes are on record. php.net marked 153 of the
 * latter as something else, and its own answers keep that.
 * @returns null when it was never written down
 */
export const isSecurityRelease = ({ kind, fixes }: Pick<Release, 'kind' | 'fixes'>): boolean | null => {
  if (kind === 'security' || fixes !== undefined) return true;
  return kind === 'unrecorded' ? null : false;
};

/** The tags of a release as readers need them: those that php.net has, and `security` where it forgot that. */
export const tagsOf = (release: Release): string[] => {
  const tags = (release.published.tags ?? []).filter(Boolean);
  return isSecurityRelease(release) && !tags.includes('security') ? [...tags, 'security'] : tags;
};
