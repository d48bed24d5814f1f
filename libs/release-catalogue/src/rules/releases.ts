import { error, isImported, locatedReleases } from './location.ts';
import type { Rule } from './rule.ts';

/**
 * Every release says whether it fixes security issues, and its tags say the same: forgotten for 7.4.28. Only imported
 * ones whose tags were never written down may leave it open.
 */
export const explicitKind: Rule = (catalogue) =>
  locatedReleases(catalogue).flatMap((location) => {
    const { branch, release } = location;
    const { tags } = release.published;
    if (release.kind === 'unrecorded' && tags === undefined && isImported(branch, release.version)) return [];
    const tagged = tags?.includes('security') ? 'security' : 'bugfix';
    if (tags !== undefined && release.kind === tagged) return [];
    return [
      error(
        'explicit-kind',
        location,
        `${release.version} ${release.kind}`,
        tags === undefined
          ? `${release.version} has no tags: say security or bugfix`
          : `${release.version} is ${release.kind}, its tags say ${tagged}`,
        '/kind',
      ),
    ];
  });

/** A release is withdrawn by a flag, on the day it came out or later, not ahead of the clock. 8.0.6 was just removed. */
export const yank: Rule = (catalogue, { now }) =>
  locatedReleases(catalogue).flatMap((location) => {
    const { version, date, yanked } = location.release;
    if (!yanked) return [];
    const day = new Date(yanked.date);
    const problem =
      yanked.date < date
        ? `before its release on ${date}`
        : now && day > now
          ? 'which is still to come'
          : undefined;
    return problem
      ? [
          error(
            'yank',
            location,
            `${version} ${yanked.date}`,
            `${version} is withdrawn on ${yanked.date}, ${problem}`,
            '/yanked/date',
          ),
        ]
      : [];
  });
