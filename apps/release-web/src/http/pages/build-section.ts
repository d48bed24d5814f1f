import { escapeMarkup } from '@workspace/service-kit';
import {
  type BranchFile,
  buildVersion,
  compareVersions,
  isEnabled,
  latestRelease,
  parseDateText,
  type PreRelease,
  type ProductFile,
} from '@workspace/release-catalogue';
import { isSupported } from '../../domain/support-state.ts';
import { day, distance } from '../dates.ts';
import { buildFiles, fileList } from './files.ts';

/** The builds of a branch that can be tested: of releases to come, however old. Without support none will. */
export const buildsToTest = (branch: BranchFile, now: Date): readonly PreRelease[] => {
  const latest = latestRelease(branch);
  if (latest && !isSupported(branch, now)) return [];
  return branch.pre_releases.filter(
    (slot) => isEnabled(slot) && (!latest || compareVersions(slot.version, latest.version) > 0),
  );
};

/** `13 Aug 2026, 8 days ago`: when a build was made, markup; empty when that is not on record. */
export const buildDate = ({ release }: PreRelease, now: Date): string => {
  const date = release.date === undefined ? null : parseDateText(release.date);
  return date ? `${day(date)}, ${distance(date, now)}` : '';
};

/** A build to test with its files. */
export const buildSection = (product: ProductFile, slot: PreRelease, now: Date): string => {
  const version = escapeMarkup(buildVersion(slot));
  const date = buildDate(slot, now);
  return `<section class="release" id="v${version}">
<div class="release-head"><h3>${escapeMarkup(product.name)} ${version}</h3>${date && `<span class="muted">${date}</span>`}<span class="tag">Not for production</span></div>
${fileList(buildFiles(product, slot))}
</section>`;
};
