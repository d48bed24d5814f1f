import { isoDate } from '../facts/calendar-date.ts';
import { releasesOf } from '../facts/catalogue.ts';
import { supportDates } from '../facts/support-dates.ts';
import { locatedBranches, error } from './location.ts';
import type { Rule } from './rule.ts';

/** Active support ends before or with security support. Five imported branches say otherwise. */
export const supportOrder: Rule = function* (catalogue) {
  for (const location of locatedBranches(catalogue)) {
    const { branch } = location.branch;
    const { activeSupportEnd: active, securitySupportEnd: security } = supportDates(location.branch);
    if (active && security && active > security)
      yield error(
        location,
        `${branch} ${isoDate(active)} ${isoDate(security)}`,
        `active support of ${branch} ends on ${isoDate(active)}, after its security support on ${isoDate(security)}`,
      );
  }
};

/** The day of the first release is known: from X.Y.0 or, as for 8.4 that began with 8.4.1, from `overrides.date`. */
export const firstRelease: Rule = function* (catalogue) {
  for (const location of locatedBranches(catalogue)) {
    const { branch: name } = location.branch;
    if (releasesOf(location.branch).length > 0 && !supportDates(location.branch).initialRelease)
      yield error(
        location,
        name,
        `branch ${name} has neither ${name}.0 nor a date in overrides: its state is unknown`,
      );
  }
};

/** A supported branch is in the current table: lists of supported branches come from the table, their states from the dates. */
export const retiredBranch: Rule = function* (catalogue) {
  for (const location of locatedBranches(catalogue)) {
    const { branch: name, current } = location.branch;
    const { securitySupportEnd: end } = supportDates(location.branch);
    if (!current && releasesOf(location.branch).length > 0 && end && end > catalogue.revision)
      yield error(
        location,
        `${name} ${isoDate(end)}`,
        `branch ${name} is not in the current table, but supported until ${isoDate(end)}: publish its next release first`,
      );
  }
};
