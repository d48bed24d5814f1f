import type { Catalogue } from '../catalogue.ts';
import type { Finding } from '../finding.ts';
import { branchOf } from '../version.ts';
import { releasesOf } from '../catalogue.ts';
import { parseDateText, parseIsoDate, isoDate } from '../calendar-date.ts';

/**
 * Everything the semantic rules find in a catalogue whose shapes are valid.
 * Findings named in `accepted` come back as warnings.
 * @param now judges the rules about new entries; left out, those rules are skipped
 */
export const checkCatalogue = (catalogue: Catalogue, _now?: Date): Finding[] => {
  const findings = catalogue.branches.flatMap((branch) =>
    releasesOf(branch).flatMap((release): Finding[] => {
      const at = { file: `branches/${branch.branch}.json`, pointer: '', subject: release.version };
      const found: Finding[] = [];
      if (branchOf(release.version) !== branch.branch) {
        found.push({
          ...at,
          rule: 'version-in-branch',
          severity: 'error',
          detail: `${release.version} is not of branch ${branch.branch}`,
        });
      }
      const date = parseIsoDate(release.date);
      const text = parseDateText(release.published.date);
      if (!date || !text || isoDate(text) !== release.date) {
        found.push({
          ...at,
          rule: 'release-date',
          severity: 'error',
          detail: `${release.version}: ${release.date} and "${release.published.date}" are not the same day`,
        });
      }
      return found;
    }),
  );
  const accepted = new Set(catalogue.accepted.map(({ rule, subject }) => `${rule} ${subject}`));
  return findings.map((finding) =>
    accepted.has(`${finding.rule} ${finding.subject}`) ? { ...finding, severity: 'warning' } : finding,
  );
};
