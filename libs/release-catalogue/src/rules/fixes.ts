import { releasesOf } from '../facts/catalogue.ts';
import { error, isImported, type LocatedRelease, locatedReleases, recordOf, warning } from './location.ts';
import type { Rule } from './rule.ts';

/**
 * A security release says which vulnerabilities it fixes, and a release that fixes some is a security release. What came
 * with the import may lack either. So may a release that another site published, which does not say, and one that was
 * published before this rule: these are warnings.
 */
export const securityFixes: Rule = (catalogue, { before }) => {
  const known = new Set((before?.branches ?? []).flatMap(releasesOf).map(({ version }) => version));
  return locatedReleases(catalogue).flatMap((location) => {
    const { branch, release } = location;
    const { version, kind, fixes = [] } = release;
    if (isImported(branch, version)) return [];
    if (kind === 'security' && fixes.length === 0) {
      const isNew = before !== undefined && !known.has(version);
      const found = isNew && recordOf(branch, version)?.action !== 'import' ? error : warning;
      return [
        found('security-fixes', location, version, `${version} does not say which CVEs it fixes`, '/fixes'),
      ];
    }
    if (kind === 'security' || fixes.length === 0) return [];
    const detail = `${version} fixes ${fixes.join(', ')}: it is a security release`;
    return [error('security-fixes', location, `${version} ${kind}`, detail, '/kind')];
  });
};

/** What a release fixes is only added to: that it does not fix something after all takes a correction. */
export const fixesKept: Rule = (catalogue, { before }) => {
  const old = new Map(
    (before?.branches ?? []).flatMap(releasesOf).map((release) => [release.version, release]),
  );
  return locatedReleases(catalogue).flatMap((location) => {
    const { fixes = [], version } = location.release;
    const lost = (old.get(version)?.fixes ?? []).filter((cve) => !fixes.includes(cve));
    if (lost.length === 0 || isCorrected(location)) return [];
    const detail = `${version} fixed ${lost.join(', ')}: taking that back takes a correction with a reason in the audit`;
    return [error('fixes-kept', location, `${version} ${lost.join(' ')}`, detail, '/fixes')];
  });
};

const isCorrected = ({ branch, release }: LocatedRelease): boolean =>
  branch.audit.some(
    ({ action, version, changes = [] }) =>
      action === 'correct' &&
      version === release.version &&
      changes.some(({ pointer }) => pointer.startsWith('/fixes')),
  );
