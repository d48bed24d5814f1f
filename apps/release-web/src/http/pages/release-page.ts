import { escapeMarkup } from '@workspace/service-kit';
import {
  type BranchFile,
  branchOf,
  type Catalogue,
  compareVersions,
  filledIn,
  type JsonChange,
  latestRelease,
  type ProductFile,
  type Release,
  releasesOf,
  type SigningKey,
} from '@workspace/release-catalogue';
import { type Correction, correctionsOf } from '../../domain/change-log.ts';
import { isSupported } from '../../domain/support-state.ts';
import { dayOf } from '../dates.ts';
import type { PageLinks } from '../site.ts';
import { pageDocument, type PageSite } from './document.ts';
import { commandLine, fileList, releaseFiles } from './files.ts';
import { branchPath, releasePath } from '../../domain/paths.ts';
import { kindTag, supportSentence } from './support.ts';

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
    path: releasePath(release),
    description: `Files of ${title}, released on ${release.date}, with their hashes and signatures.`,
    catalogue,
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
<h2>Downloads</h2>
${fileList(releaseFiles(release))}
${otherFormsSection(catalogue.product, branch, release, now)}
${checkSection(catalogue.product, release, baseUrl)}
${fixesSection(release, links)}
${moreSection(catalogue.product, release)}
${pagesNav(name, branch, release)}`,
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

/** Whose file is which: sources are not for everyone. */
const otherFormsSection = (
  { name, pages, docker_image: image }: ProductFile,
  branch: BranchFile,
  release: Release,
  now: Date,
): string => {
  if (!isSupported(branch, now) || release.yanked) return '';
  const isLatest = latestRelease(branch) === release;
  const forms = [
    ...(pages?.windows
      ? [
          `For Windows: ${link(pages.windows, `${escapeMarkup(name)} at ${new URL(pages.windows).hostname}`)}.`,
        ]
      : []),
    ...(image ? [`For Docker: ${dockerTags(image, release.version, isLatest && branch.branch)}`] : []),
  ];
  return `<p>These archives have the same source code. ${forms.join(' ')}</p>`;
};

/** What is about this release elsewhere. */
const moreSection = ({ name, pages = {} }: ProductFile, release: Release): string => {
  const label = escapeMarkup(`${name} ${release.version}`);
  const items = [
    ...announcementLinks(pages.announcement, release),
    ...(pages.changelog ? [link(filledIn(pages.changelog, release.version), `Changelog of ${label}`)] : []),
  ];
  return items.length === 0
    ? ''
    : `<h2>What changed</h2>
<ul>${items.map((item) => `<li>${item}</li>`).join('\n')}</ul>`;
};

/** @param text markup */
const link = (href: string, text: string): string => `<a href="${escapeMarkup(href)}">${text}</a>`;

/** The release notes. Paths on record are those of the product's own site. */
const announcementLinks = (template: string | undefined, { version, published }: Release): string[] => {
  const { announcement } = published;
  if (!template || !announcement) return [];
  const own = filledIn(template, version);
  return announcement === true
    ? [link(own, 'Release notes')]
    : Object.entries(announcement).map(([language, path]) =>
        link(
          new URL(path, own).href,
          language === 'English' ? 'Release notes' : `Release notes in ${escapeMarkup(language)}`,
        ),
      );
};

/**
 * The tags of a Docker Official Image, as docker-library/php's generate-stackbrew-library.sh makes them.
 * @param branch whose tag it has as the newest release of it; false: an earlier one, which is not built again
 */
const dockerTags = (image: string, version: string, branch: string | false): string => {
  const tag = (text: string): string => `<code>${escapeMarkup(`${image}:${text}`)}</code>`;
  const variants = ['cli', 'fpm', 'apache', 'zts', 'alpine'].map((variant) => `<code>-${variant}</code>`);
  return `${link(`https://hub.docker.com/_/${image}/tags?name=${version}`, tag(version))}${branch ? ` and, until the next release, ${tag(branch)}` : ', which is not built again'}; variants end in ${OR.format(variants)}.`;
};

const OR = new Intl.ListFormat('en', { type: 'disjunction' });

/** The releases before and after it, and what else leads on. */
const pagesNav = (name: string, branch: BranchFile, release: Release): string => {
  const releases = releasesOf(branch).sort((a, b) => compareVersions(a.version, b.version));
  const index = releases.indexOf(release);
  const neighbour = (at: number, rel: 'prev' | 'next'): string[] => {
    const other = releases[at];
    return other
      ? [
          `<a href="${releasePath(other)}" rel="${rel}">${rel === 'prev' ? 'Previous' : 'Next'}: ${escapeMarkup(other.version)}</a>`,
        ]
      : [];
  };
  return `<nav class="pages" aria-label="Other releases">${[
    ...neighbour(index - 1, 'prev'),
    ...neighbour(index + 1, 'next'),
    `<a href="${branchPath(branch)}">All releases of ${escapeMarkup(`${name} ${branch.branch}`)}</a>`,
    `<a href="/api/v1/releases/${encodeURIComponent(release.version)}">This release as JSON</a>`,
  ].join(' ')}</nav>`;
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

/** How to tell that a file is genuine: by its digest, and by its signature, where they are on record. */
export const checkSection = (product: ProductFile, release: Release, baseUrl: string): string => {
  const file = releaseFiles(release).findLast(({ signature }) => signature);
  if (!file) return '';
  const url = baseUrl + file.href;
  return `<h2>Download and check</h2>
${commandLine('check', `curl -fLO '${url}' && echo '${file.digest!.hex}  ${file.name}' | sha256sum --check`)}
${signatureSection(product, release, file.name, `${url}.asc`, baseUrl)}`;
};

const signatureSection = (
  { pages = {}, signing_keys = [] }: ProductFile,
  { version, signatures }: Release,
  file: string,
  signature: string,
  baseUrl: string,
): string => {
  const signer = signatures?.[file]?.fingerprint;
  const keys = signing_keys.filter(({ branches, fingerprint }) =>
    signer ? fingerprint === signer : branches.includes(branchOf(version)),
  );
  const page = pages.keys && filledIn(pages.keys, version);
  const keyring =
    keys[0] && keys.every(({ public_key }) => public_key) ? `${baseUrl}/api/v1/keyring.asc` : pages.keyring;
  const lines = [
    ...(keyring ? [`curl -fsSL '${keyring}' | gpg --import`] : []),
    `curl -fLO '${signature}'`,
    `gpg --verify '${file}.asc' '${file}'`,
  ];
  return `<h3 id="signature">Signature</h3>
<p>${keys.length > 0 ? `The primary key fingerprint that <code>gpg</code> shows has to be ${keys.length > 1 ? 'one of these' : 'this'}${keyLink(page, 'compare')}:` : `<code>gpg</code> has to show the fingerprint of a release manager’s key${keyLink(page, 'see')}.`}</p>
${keys.length > 0 ? `<dl class="dates">${keys.map(keyItem).join('')}</dl>` : ''}
${commandLine('verify', lines.join('\n'))}`;
};

const keyLink = (page: string | undefined, verb: string): string =>
  page
    ? ` (${verb} <a href="${escapeMarkup(page)}">${escapeMarkup(new URL(page).hostname)}’s list of keys</a>)`
    : '';

/** In groups of four digits, as gpg writes it. */
const keyItem = ({ manager, fingerprint }: SigningKey): string =>
  `<dt>${escapeMarkup(manager)}</dt><dd><code>${fingerprint.replace(/....(?!$)/g, '$& ')}</code></dd>`;
