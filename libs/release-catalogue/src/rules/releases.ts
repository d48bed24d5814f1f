import { error, isImported, locatedReleases, recordOf } from './location.ts';
import type { Rule } from './rule.ts';

/**
 * Every release says whether it fixes security issues, and its tags say the same: forgotten for 7.4.28. Only imported
 * ones whose tags were never written down may leave it open.
 */
export const explicitKind: Rule = function* (catalogue) {
  for (const location of locatedReleases(catalogue)) {
    const { branch, release } = location;
    const { version, kind } = release;
    const { tags } = release.published;
    if (kind === 'unrecorded' && tags === undefined && isImported(branch, version)) continue;
    const tagged = tags?.includes('security') ? 'security' : 'bugfix';
    if (tags !== undefined && kind === tagged) continue;
    const detail =
      tags === undefined
        ? `${version} has no tags: say security or bugfix`
        : `${version} is ${kind}, its tags say ${tagged}`;
    yield error(location, `${version} ${kind}`, detail, '/kind');
  }
};

/** A release is withdrawn by a flag, on the day it came out or later, not ahead of the clock. 8.0.6 was just removed. */
export const yank: Rule = function* (catalogue, { now }) {
  for (const location of locatedReleases(catalogue)) {
    const { version, date, yanked } = location.release;
    if (!yanked) continue;
    const day = new Date(yanked.date);
    // It may have come out before the day that it is dated.
    const [out = date] = [date, recordOf(location.branch, version)?.at.slice(0, 10) ?? date].sort();
    const problem =
      yanked.date < out
        ? `before its release on ${out}`
        : now && day > now
          ? 'which is still to come'
          : undefined;
    if (problem)
      yield error(
        location,
        `${version} ${yanked.date}`,
        `${version} is withdrawn on ${yanked.date}, ${problem}`,
        '/yanked/date',
      );
  }
};
