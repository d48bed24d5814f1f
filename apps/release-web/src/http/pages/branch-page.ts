import { escapeMarkup } from '@workspace/service-kit';
import {
  type BranchFile,
  type Catalogue,
  latestRelease,
  type Release,
  releasesOf,
} from '@workspace/release-catalogue';
import { hasRelease, isSupported, recommendedBranch } from '../../domain/support-state.ts';
import { branchTransitions, type Transition, type TransitionKind } from '../../domain/transitions.ts';
import { day, dayOf, distance } from '../dates.ts';
import { spanOf, timelineFigure } from './timeline.ts';
import { pageDocument, type PageSite } from './document.ts';
import { buildSection, buildsToTest, fileList, releaseFiles } from './files.ts';
import { branchPath } from '../../domain/paths.ts';
import { releaseLink, releaseRows, releaseTable } from './release-table.ts';
import { isNoteworthy, isOver, kindTag, stateTag, supportSentence } from './support.ts';

/** `/releases/8.4/`: one branch for people: its dates, its latest release, builds to test and all its releases. */
export const branchPage = (catalogue: Catalogue, branch: BranchFile, now: Date, site: PageSite): string => {
  const { baseUrl, links } = site;
  const { product } = catalogue;
  const title = `${product.name} ${branch.branch}`;
  const latest = latestRelease(branch);
  const span = spanOf(branch);
  const builds = buildsToTest(branch, now);
  const dates = branchTransitions(branch).filter(isNoteworthy);
  const calendar =
    links.branchCalendar && dates.some(({ at }) => !isOver(at, now))
      ? baseUrl + links.branchCalendar(branch.branch)
      : undefined;
  const count = releasesOf(branch).length;
  return pageDocument({
    title: `${title}: support and releases`,
    path: branchPath(branch),
    description: `How long ${title} is supported, and its releases with files and hashes.`,
    alternates: [
      ...['atom', 'json'].map((format) => ({
        type: format === 'atom' ? 'application/atom+xml' : 'application/feed+json',
        title: `${title} releases`,
        href: `${baseUrl}${branchPath(branch)}feed.${format}`,
      })),
      ...(calendar ? [{ type: 'text/calendar', title: `${title} support schedule`, href: calendar }] : []),
    ],
    catalogue,
    now,
    site,
    main: `<h1>${escapeMarkup(title)}${stateTag(branch, now)}</h1>
<p class="lead">${supportSentence(product.name, branch, now)}</p>
${upgradeNotice(catalogue, branch, now)}
${span ? timelineFigure([branch], span, now, `Timeline of support for ${title}. The dates are in the list of dates.`, calendar?.replace(/^https?/, 'webcal')) : ''}
${datesSection(dates, now)}
${latest ? latestSection(product.name, latest, isSupported(branch, now)) : ''}
${builds.length > 0 ? `<section id="testing"><h2>To be tested</h2><div class="releases">${builds.map((slot) => buildSection(product, slot, now)).join('\n')}</div></section>` : ''}
${
  count > 0
    ? `<section>
<h2 id="releases">All ${count === 1 ? '' : `${count} `}releases</h2>
${releaseTable('releases', [releaseRows(branch)])}
</section>`
    : ''
}
<p class="pages"><a href="${branchPath(branch)}feed.atom">Atom feed of ${escapeMarkup(title)}</a> <a href="${branchPath(branch)}feed.json">JSON feed</a> <a href="/api/v1/branches/${branch.branch}">This branch as JSON</a></p>`,
  });
};

const upgradeNotice = ({ product, branches }: Catalogue, branch: BranchFile, now: Date): string => {
  const target = recommendedBranch(branches, now);
  if (isSupported(branch, now) || !target || !hasRelease(branch)) return '';
  return `<p class="notice bad">It gets no fixes, not even for security issues. Upgrade to <a href="${branchPath(target)}">${escapeMarkup(`${product.name} ${target.branch}`)}</a>.</p>`;
};

/** What a date is called: before, and when it has come. */
const DATE_NAMES: Readonly<Partial<Record<TransitionKind, readonly [coming: string, past: string]>>> = {
  'expected-release': ['First release expected', 'First release was expected'],
  'initial-release': ['First release', 'First release'],
  'active-support-end': ['Active support ends', 'Active support ended'],
  'security-support-end': ['Security support ends', 'Security support ended'],
};

const datesSection = (dates: readonly Transition[], now: Date): string => {
  if (dates.length === 0) return '';
  return `<section><h2>Dates</h2><dl class="dates">${dates
    .map(
      ({ at, kind }) =>
        `<dt>${DATE_NAMES[kind]?.[(kind === 'expected-release' ? isOver(at, now) : at <= now) ? 1 : 0]}</dt><dd>${day(at)} <span class="muted small">${distance(at, now)}</span></dd>`,
    )
    .join('\n')}</dl></section>`;
};

const latestSection = (
  name: string,
  release: Release,
  isSupportedBranch: boolean,
): string => `<section id="downloads"><h2>${isSupportedBranch ? 'Latest' : 'Last'} release</h2>
<div class="release"><div class="release-head"><h3>${releaseLink(release, `${name} `)}</h3><span class="muted">${dayOf(release.date)}</span>${kindTag(release)}</div>
${fileList(releaseFiles(release))}</div></section>`;
