import { escapeMarkup } from '@workspace/service-kit';
import {
  type BranchFile,
  type Catalogue,
  isoDate,
  type JsonChange,
  latestRelease,
  type Release,
} from '@workspace/release-catalogue';
import { isSupported, supportState } from '../../domain/support-state.ts';
import { fileTable, page, releaseFiles } from './html.ts';
import { type Correction, correctionsOf } from '../../domain/correction.ts';

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
    `<p>${escapeMarkup(release.published.date)}${release.kind === 'security' ? ' · fixes security issues' : ''}</p>
${release.yanked ? `<p><strong>Withdrawn on ${release.yanked.date}:</strong> ${escapeMarkup(release.yanked.reason)}</p>` : ''}
${correctionsOf(branch, release.version)
  .map((correction) => correctionSection(release, correction))
  .join('\n')}
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
  const { state, activeSupportEnd, securitySupportEnd } = supportState(branch, now);
  if (isSupported(branch, now) && securitySupportEnd) {
    const until = isoDate(securitySupportEnd);
    return state === 'stable' && activeSupportEnd
      ? `${name} ${branch.branch} is in active support until ${isoDate(activeSupportEnd)} and gets security fixes until ${until}.`
      : `${name} ${branch.branch} gets only security fixes, until ${until}.`;
  }
  return `${name} ${branch.branch} is no longer supported.`;
};

const correctionSection = (release: Release, { date, reason, changes }: Correction): string =>
  `<section><p><strong>Corrected on ${date}:</strong> ${escapeMarkup(reason)}</p>
<ul class="changes">${changes.map((change) => `<li>${changeText(release, change)}</li>`).join('')}</ul></section>`;

/** What changed in words; digests, which people compare, with the name of their file. */
const changeText = (release: Release, { pointer, from, to }: JsonChange): string => {
  const [, list, index, member] = /^\/published\/(source|windows)\/(\d+)\/(\w+)$/.exec(pointer) ?? [];
  const file = release.published[list as 'source' | 'windows']?.[Number(index)];
  const algorithm = member && ALGORITHMS[member];
  const what =
    file && 'filename' in file && algorithm ? `${algorithm} of ${file.filename}` : pointer.slice(1);
  return `${escapeMarkup(what)}: was ${valueText(from)}, is ${valueText(to)}`;
};

const ALGORITHMS: Readonly<Record<string, string>> = { sha256: 'SHA-256', md5: 'MD5' };

const valueText = (value: unknown): string =>
  value === undefined
    ? 'absent'
    : `<code>${escapeMarkup(typeof value === 'string' ? value : JSON.stringify(value))}</code>`;

/** Where the page of a release is. */
export const pathOf = ({ version }: Release): string => `/releases/${version.replaceAll('.', '_')}.php`;
