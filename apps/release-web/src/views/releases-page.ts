import type { BranchFile, Release } from '../data/index.ts';
import { isoDate } from '../domain/calendar-date.ts';
import { type Catalogue, historyTable, majors } from '../domain/catalogue.ts';
import { latestRelease } from '../domain/latest.ts';
import { isSupported, supportState } from '../domain/support-state.ts';
import { fileRows, page } from './html.ts';
import { escapeMarkup } from './markup.ts';
import { pathOf } from './release-page.ts';

/** `/releases/` for people: what is supported, with files and digests; then everything there ever was. */
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
<table>${fileRows(release.published.source)}</table>
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
