import {
  type BranchFile,
  type Catalogue,
  isoDate,
  latestRelease,
  type Release,
} from '@workspace/release-catalogue';
import { isSupported, supportState } from '../domain/support-state.ts';
import { fileTable, page, releaseFiles } from './html.ts';
import { escapeMarkup } from './markup.ts';

/** `/releases/8_4_24.php`: one release for people, where the feeds and the archive lead to. */
export const releasePageView = (
  catalogue: Catalogue,
  branch: BranchFile,
  release: Release,
  now: Date,
): string => {
  const { name } = catalogue.product;
  const latest = latestRelease(branch);
  const isLatest = latest === release;
  return page(
    `${name} ${release.version}`,
    `<p>${escapeMarkup(release.published.date)}${release.kind === 'security' ? ' · fixes security faults' : ''}</p>
${release.yanked ? `<p><strong>Withdrawn on ${release.yanked.date}:</strong> ${escapeMarkup(release.yanked.reason)}</p>` : ''}
<p>${escapeMarkup(advice(name, branch, now))}${
      isLatest || !latest
        ? ''
        : ` The newest of its branch is <a href="${pathOf(latest)}">${escapeMarkup(latest.version)}</a>.`
    }</p>
${fileTable(releaseFiles([...release.published.source, ...(release.published.windows ?? [])]))}
<p><a href="/releases/">All releases</a></p>`,
  );
};

const advice = (name: string, branch: BranchFile, now: Date): string => {
  const { securitySupportEnd } = supportState(branch, now);
  if (isSupported(branch, now) && securitySupportEnd) {
    return `${name} ${branch.branch} gets security fixes until ${isoDate(securitySupportEnd)}.`;
  }
  return `${name} ${branch.branch} is no longer supported.`;
};

/** Where the page of a release is. */
export const pathOf = ({ version }: Release): string => `/releases/${version.replaceAll('.', '_')}.php`;
