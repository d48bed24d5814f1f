import { escapeMarkup } from '@workspace/service-kit';
import {
  type BranchFile,
  type Catalogue,
  type JsonChange,
  latestRelease,
  type Release,
} from '@workspace/release-catalogue';
import { type Correction, correctionsOf } from '../../domain/correction.ts';
import { dayOf } from '../dates.ts';
import type { PageLinks } from '../site.ts';
import { siteAlternates } from './alternates.ts';
import { pageDocument, type PageSite } from './document.ts';
import { copyButton, fileList, releaseFiles } from './files.ts';
import { branchPath, releasePath } from '../../domain/paths.ts';
import { supportSentence } from './support.ts';
import { kindTag } from './tags.ts';

/** `/releases/8_4_24.php`: one release for people, where the feeds and the archive lead to. */
export const releasePage = (
  catalogue: Catalogue,
  branch: BranchFile,
  release: Release,
  now: Date,
  site: PageSite,
): string => {
  const { baseUrl, links } = site;
  const { name } = catalogue.product;
  const latest = latestRelease(branch);
  const title = `${name} ${release.version}`;
  return pageDocument({
    title: `${title}: downloads and hashes`,
    product: name,
    canonical: baseUrl + releasePath(release),
    description: `Files of ${title}, released on ${release.date}, with their hashes and signatures.`,
    alternates: siteAlternates(catalogue, site),
    revision: catalogue.revision,
    now,
    site,
    main: `<h1>${escapeMarkup(title)}${kindTag(release)}</h1>
<p class="lead">Released on ${dayOf(release.date)}. ${supportSentence(name, branch, now)}</p>
${
  release.yanked
    ? `<p class="notice bad"><strong>Withdrawn on ${dayOf(release.yanked.date)}:</strong> ${escapeMarkup(release.yanked.reason)}</p>`
    : ''
}
${
  latest && latest !== release
    ? `<p class="notice">The newest release of this branch is <a href="${releasePath(latest)}">${escapeMarkup(`${name} ${latest.version}`)}</a>.</p>`
    : ''
}
${correctionsOf(branch, release.version)
  .map((correction) => correctionSection(release, correction))
  .join('\n')}
${fixesSection(release, links)}
<h2>Downloads</h2>
${fileList(releaseFiles(release))}
${checkSection(release, baseUrl)}
<p class="pages"><a href="${branchPath(branch)}">All releases of ${escapeMarkup(`${name} ${branch.branch}`)}</a> <a href="/api/v1/releases/${encodeURIComponent(release.version)}">This release as JSON</a></p>`,
  });
};

/** What the release fixes, each with the record of its vulnerability. */
const fixesSection = ({ fixes = [] }: Release, links: PageLinks): string =>
  fixes.length === 0
    ? ''
    : `<h2>Fixed vulnerabilities</h2>
<ul>${fixes.map((cve) => `<li><a href="https://www.cve.org/CVERecord?id=${cve}">${cve}</a>${osvLink(cve, links)}</li>`).join('')}</ul>`;

const osvLink = (cve: string, { vulnerability }: PageLinks): string =>
  vulnerability ? ` (<a href="${vulnerability(cve)}" aria-label="${cve} as OSV">OSV</a>)` : '';

/** One command that downloads the smallest archive and checks it, where its digest is on record. */
const checkSection = ({ published }: Release, baseUrl: string): string => {
  const file = published.source.findLast((source) => 'filename' in source && source.sha256);
  if (!file || !('filename' in file)) return '';
  const url = `${baseUrl}/distributions/${encodeURIComponent(file.filename)}`;
  const command = `curl -fLO '${url}' && echo '${file.sha256}  ${file.filename}' | sha256sum --check`;
  return `<h2>Download and check</h2>
<p class="command"><code id="check">${escapeMarkup(command)}</code>${copyButton('check', 'command')}</p>`;
};

const correctionSection = (release: Release, { date, reason, changes }: Correction): string =>
  `<section class="notice"><p><strong>Corrected on ${dayOf(date)}:</strong> ${escapeMarkup(reason)}</p>
<ul>${changes.map((change) => `<li>${changeText(release, change)}</li>`).join('')}</ul></section>`;

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
