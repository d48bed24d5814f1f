import { releasesOf } from '../facts/catalogue.ts';
import { error, isImported, type LocatedRelease, locatedReleases, recordOf, warning } from './location.ts';
import type { Rule } from './rule.ts';

/**
 * A security release says which vulnerabilities it fixes, and a release that fixes some is a security release. What came
 * with the import may lack either. So may a release that another site published, which does not say, and one that was
 * published before this rule: these are warnings.
 */
export const securityFixes: Rule = function* (catalogue, { before }) {
  const known = new Set((before?.branches ?? []).flatMap(releasesOf).map(({ version }) => version));
  for (const location of locatedReleases(catalogue)) {
    const { branch, release } = location;
    const { version, kind, fixes = [] } = release;
    const isTakenOver = recordOf(branch, version)?.action === 'import';
    if (isImported(branch, version)) continue;
    if (kind === 'security' && fixes.length === 0) {
      const isNew = before !== undefined && !known.has(version);
      const found = isNew && !isTakenOver ? error : warning;
      yield found(location, version, `${version} does not say which CVEs it fixes`, '/fixes');
    }
    // php.net forgets to mark some.
    if (kind !== 'security' && fixes.length > 0 && !isTakenOver) {
      const detail = `${version} fixes ${fixes.join(', ')}: it is a security release`;
      yield error(location, `${version} ${kind}`, detail, '/kind');
    }
  }
};

const FIRST_CVE_YEAR = 1999;
/** A CVE of an older year is rare enough to be looked at again. */
const OLD_CVE_YEARS = 5;
/** Branches get a fix on the same day, or within weeks. */
const BACKPORT_DAYS = 90;

/**
 * A CVE is of a year in which there were some, and not of one to come. One of a much older year, one that a release of the same
 * branch fixes already, and one that was fixed elsewhere long before are warnings: most are slips. What was imported stays as it is.
 */
export const cveIds: Rule = function* (catalogue) {
  const fixed = locatedReleases(catalogue).flatMap((location) =>
    (location.release.fixes ?? []).map((cve) => ({ ...location, cve })),
  );
  const fixers = Map.groupBy(fixed, ({ cve }) => cve);
  for (const { cve, ...location } of fixed) {
    const { branch, release } = location;
    if (isImported(branch, release.version)) continue;
    const year = Number(cve.slice(4, 8));
    const latest = Math.max(...[release.date, branch.updated].map((text) => Number(text.slice(0, 4))));
    const subject = `${release.version} ${cve}`;
    if (!(year >= FIRST_CVE_YEAR && year <= latest)) {
      yield error(location, subject, `${cve} is of the year ${year}: check the id`, '/fixes');
      continue;
    }
    const earlier = fixers.get(cve)!.filter((other) => other.release.date < release.date);
    const same = earlier.find((other) => other.branch === branch);
    const days = (other: LocatedRelease) =>
      (Date.parse(release.date) - Date.parse(other.release.date)) / (24 * 60 * 60 * 1000);
    const old = earlier.find((other) => days(other) > BACKPORT_DAYS);
    const doubt = same
      ? `is fixed by ${same.release.version} already, which counts; if that fix was incomplete, take it back there with correct`
      : old
        ? `was fixed by ${old.release.version} on ${old.release.date}: check the id`
        : year < Number(release.date.slice(0, 4)) - OLD_CVE_YEARS
          ? `is of the year ${year}: check the id`
          : undefined;
    if (doubt !== undefined) yield warning(location, subject, `${cve} ${doubt}`, '/fixes');
  }
};

/** What a release fixes is only added to: that it does not fix something after all takes a correction. */
export const fixesKept: Rule = function* (catalogue, { before }) {
  const old = new Map(
    (before?.branches ?? []).flatMap(releasesOf).map((release) => [release.version, release]),
  );
  for (const location of locatedReleases(catalogue)) {
    const { fixes, version } = location.release;
    const lost = (old.get(version)?.fixes ?? []).filter((cve) => !fixes?.includes(cve));
    if (lost.length === 0 || isCorrected(location)) continue;
    const detail = `${version} fixed ${lost.join(', ')}: taking that back takes a correction with a reason in the audit`;
    yield error(location, `${version} ${lost.join(' ')}`, detail, '/fixes');
  }
};

const isCorrected = ({ branch, release }: LocatedRelease): boolean =>
  branch.audit.some(
    ({ action, version, changes = [] }) =>
      action === 'correct' &&
      version === release.version &&
      changes.some(({ pointer }) => pointer.startsWith('/fixes')),
  );
