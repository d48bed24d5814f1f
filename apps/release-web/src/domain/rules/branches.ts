import { isoDate } from '../calendar-date.ts';
import { releasesOf } from '../catalogue.ts';
import { supportDates } from '../support-state.ts';
import { branchPlaces, error } from './place.ts';
import type { Rule } from './rule.ts';

/** Active support ends before or with security support. Five imported branches say otherwise. */
export const supportOrder: Rule = (catalogue) =>
  branchPlaces(catalogue).flatMap((place) => {
    const { branch } = place.branch;
    const { activeSupportEnd: active, securitySupportEnd: security } = supportDates(place.branch);
    return active && security && active > security
      ? [
          error(
            'support-order',
            place,
            `${branch} ${isoDate(active)} ${isoDate(security)}`,
            `active support of ${branch} ends on ${isoDate(active)}, after its security support on ${isoDate(security)}`,
          ),
        ]
      : [];
  });

/** The day of the first release is known: from X.Y.0 or, as for 8.4 that began with 8.4.1, from `overrides.date`. */
export const firstRelease: Rule = (catalogue) =>
  branchPlaces(catalogue)
    .filter(({ branch }) => releasesOf(branch).length > 0 && !supportDates(branch).initialRelease)
    .map((place) =>
      error(
        'first-release',
        place,
        place.branch.branch,
        `branch ${place.branch.branch} has neither ${place.branch.branch}.0 nor a date in overrides: its state is unknown`,
      ),
    );
