import { type Catalogue, latestRelease, majorOf, supportDates } from '@workspace/release-catalogue';
import type { PhpValue } from './php-value.ts';
import { graceEnd } from '../../../domain/transitions.ts';
import { published } from './release-index.ts';

/** `/releases/active.php`: current releases by major and branch, ascending, four weeks beyond their end. */
export const activeView = (catalogue: Catalogue, now: Date): PhpValue => {
  const byMajor = new Map<string, Map<string, PhpValue>>();
  for (const branch of catalogue.branches) {
    const { securitySupportEnd } = supportDates(branch);
    const release = branch.current && latestRelease(branch);
    if (!release || !securitySupportEnd || now >= graceEnd(securitySupportEnd)) continue;
    const major = String(majorOf(branch.branch));
    const releases = byMajor.get(major) ?? new Map<string, PhpValue>();
    byMajor.set(major, releases.set(branch.branch, { ...published(release), version: release.version }));
  }
  return byMajor;
};
