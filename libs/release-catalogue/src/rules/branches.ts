import { isoDate } from '../facts/calendar-date.ts';
import { releasesOf } from '../facts/catalogue.ts';
import { supportDates } from '../facts/support-dates.ts';
import { locatedBranches, error } from './location.ts';
import type { Rule } from './rule.ts';

/** Active support ends before or with security support. Five imported branches say otherwise. */
export const supportOrder: Rule = (catalogue) =>
  locatedBranches(catalogue).flatMap((location) => {
    const { branch } = location.branch;
    const { activeSupportEnd: active, securitySupportEnd: security } = supportDates(location.branch);
    return active && security && active > security
      ? [
          error(
            'support-order',
            location,
            `${branch} ${isoDate(active)} ${isoDate(security)}`,
            `active support of ${branch} ends on ${isoDate(active)}, after its security support on ${isoDate(security)}`,
          ),
        ]
      : [];
  });

/** The day of the first release is known: from X.Y.0 or, as for 8.4 that began with 8.4.1, from `overrides.date`. */
export const firstRelease: Rule = (catalogue) =>
  locatedBranches(catalogue)
    .filter(({ branch }) => releasesOf(branch).length > 0 && !supportDates(branch).initialRelease)
    .map((location) =>
      error(
        'first-release',
        location,
        location.branch.branch,
        `branch ${location.branch.branch} has neither ${location.branch.branch}.0 nor a date in overrides: its state is unknown`,
      ),
    );
