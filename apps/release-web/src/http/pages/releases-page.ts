import { escapeMarkup } from '@workspace/service-kit';
import {
  tarballName,
  type BranchFile,
  BUILD_COMPRESSIONS,
  buildUrl,
  buildVersion,
  type Catalogue,
  digestOf,
  historyTable,
  isEnabled,
  isoDate,
  latestRelease,
  majors,
  type PreRelease,
  preReleases,
  type ProductFile,
  type Release,
} from '@workspace/release-catalogue';
import { isSupported, supportState } from '../../domain/support-state.ts';
import { fileTable, page, releaseFiles } from './html.ts';
import { pathOf } from './release-page.ts';

/** `/releases/` for people: what is supported, with files and digests; what can be tested; then everything there ever was. */
export const releasesPage = (catalogue: Catalogue, now: Date, baseUrl: string): string => {
  const { name, feed } = catalogue.product;
  const supported = [...catalogue.branches].reverse().filter((branch) => isSupported(branch, now));
  const archive = majors(catalogue).map((major) =>
    archiveSection(name, major, historyTable(catalogue, major)),
  );
  const alternate = (type: string, path: string): string =>
    `<link rel="alternate" type="${type}" title="${escapeMarkup(feed.title)}" href="${escapeMarkup(baseUrl + path)}">\n`;
  return page(
    `${name} releases`,
    `<p><a href="/api/v1/timeline.svg"><img src="/api/v1/timeline.svg" alt="When each branch is supported"></a></p>
<h2>Supported</h2>
${supported.map((branch) => supportedSection(branch, now)).join('\n')}
${testSections(catalogue)}
<h2>Archive</h2>
${archive.join('\n')}
<p>Also as <a href="/releases/feed.php">Atom</a>, <a href="/releases/feed.json">JSON Feed</a>, <a href="/api/v1/schedule.ics">calendar</a> and <a href="/api/v1/openapi.json">API</a>.</p>`,
    alternate('application/atom+xml', '/releases/feed.php') +
      alternate('application/feed+json', '/releases/feed.json'),
  );
};

const supportedSection = (branch: BranchFile, now: Date): string => {
  const release = latestRelease(branch);
  if (!release) return '';
  const { state, securitySupportEnd } = supportState(branch, now);
  const until = securitySupportEnd ? ` until ${isoDate(securitySupportEnd)}` : '';
  const words = state === 'stable' ? 'active support, then security fixes' : 'security fixes only';
  return `<section id="v${escapeMarkup(release.version)}">
<h3><a href="${pathOf(release)}">${escapeMarkup(release.version)}</a></h3>
<p>${escapeMarkup(release.published.date)} · ${words}${until}</p>
${fileTable(releaseFiles(release.published.source))}
</section>`;
};

/** What can be tested, when there is anything. */
const testSections = (catalogue: Catalogue): string => {
  const builds = preReleases(catalogue).filter(isEnabled);
  if (builds.length === 0) return '';
  return `<h2>To be tested</h2>
${builds.map((slot) => testSection(catalogue.product, slot)).join('\n')}`;
};

const testSection = (product: ProductFile, slot: PreRelease): string => {
  const version = buildVersion(slot);
  const files = BUILD_COMPRESSIONS.flatMap((archive) => {
    const hex = digestOf(slot.release, archive);
    const href = buildUrl(product, slot, archive);
    const name = tarballName(product, version, archive);
    return hex ? [{ href, name, digest: { algorithm: 'SHA-256' as const, hex } }] : [];
  });
  return `<section id="v${escapeMarkup(version)}">
<h3>${escapeMarkup(version)}</h3>
<p>${escapeMarkup(slot.release.date ?? '')} · not for production</p>
${fileTable(files)}
</section>`;
};

const archiveSection = (
  name: string,
  major: number,
  rows: readonly { readonly release: Release }[],
): string => `<details>
<summary>${escapeMarkup(name)} ${major}: ${rows.length} earlier release${rows.length === 1 ? '' : 's'}</summary>
<ul>${rows.map(({ release }) => `<li>${archiveLink(release)} <small>${release.date}</small></li>`).join('')}</ul>
</details>`;

/** The one entry that is no version has no page. */
const archiveLink = (release: Release): string =>
  /^[\d.]+$/.test(release.version)
    ? `<a href="${pathOf(release)}">${escapeMarkup(release.version)}</a>`
    : escapeMarkup(release.version);
