import type { BranchFile, Release } from '../data/index.ts';
import { isoDate } from '../domain/calendar-date.ts';
import { type Catalogue, historyTable, majors } from '../domain/catalogue.ts';
import { latestRelease } from '../domain/latest.ts';
import { isSupported, supportState } from '../domain/support-state.ts';
import { escapeMarkup } from './markup.ts';

/** `/releases/` for people: what is supported, with files and digests; then everything there ever was. */
export const releasesPage = (catalogue: Catalogue, now: Date, baseUrl: string): string => {
  const { name, feed } = catalogue.project;
  const supported = [...catalogue.branches].reverse().filter((branch) => isSupported(branch, now));
  const title = escapeMarkup(`${name} releases`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="alternate" type="application/atom+xml" title="${escapeMarkup(feed.title)}" href="${escapeMarkup(baseUrl)}/releases/feed.php">
<link rel="alternate" type="application/feed+json" title="${escapeMarkup(feed.title)}" href="${escapeMarkup(baseUrl)}/releases/feed.json">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p><a href="/api/v1/timeline.svg"><img src="/api/v1/timeline.svg" alt="When each branch is supported"></a></p>
<h2>Supported</h2>
${supported.map((branch) => supportedSection(branch, now)).join('\n')}
<h2>Archive</h2>
${majors(catalogue)
  .map((major) => archiveSection(name, major, historyTable(catalogue, major)))
  .join('\n')}
<p>Also as <a href="/releases/feed.php">Atom</a>, <a href="/releases/feed.json">JSON Feed</a>, <a href="/api/v1/schedule.ics">calendar</a> and <a href="/api/v1/openapi.json">API</a>.</p>
</main>
</body>
</html>
`;
};

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0}main{max-width:60rem;margin:auto;padding:1rem}
img{width:100%;height:auto}section{margin:1rem 0}h3{margin-bottom:0}td,th{padding:.1rem 1rem .1rem 0;text-align:left;vertical-align:top}
code{font-size:.8rem;overflow-wrap:anywhere}summary{cursor:pointer;font-weight:bold}ul{columns:8rem}`;

const supportedSection = (branch: BranchFile, now: Date): string => {
  const release = latestRelease(branch);
  if (!release) return '';
  const { state, securitySupportEnd } = supportState(branch, now);
  const until = securitySupportEnd ? ` until ${isoDate(securitySupportEnd)}` : '';
  const words = state === 'stable' ? 'active support, then security fixes' : 'security fixes only';
  return `<section id="v${escapeMarkup(release.version)}">
<h3>${escapeMarkup(release.version)}</h3>
<p>${escapeMarkup(release.published.date)} · ${words}${until}</p>
<table>${release.published.source.map(fileRow).join('')}</table>
</section>`;
};

const fileRow = (file: Release['published']['source'][number]): string =>
  'filename' in file
    ? `<tr><td>${escapeMarkup(file.filename)}</td><td><code>${escapeMarkup(file.sha256 ?? file.md5 ?? '')}</code></td></tr>`
    : `<tr><td><a href="${escapeMarkup(file.link)}">${escapeMarkup(file.name)}</a></td><td></td></tr>`;

const archiveSection = (
  name: string,
  major: number,
  rows: readonly { readonly release: Release }[],
): string => `<details>
<summary>${escapeMarkup(name)} ${major}: ${rows.length} earlier releases</summary>
<ul>${rows.map(({ release }) => `<li id="v${escapeMarkup(release.version)}">${escapeMarkup(release.version)} <small>${release.date}</small></li>`).join('')}</ul>
</details>`;
