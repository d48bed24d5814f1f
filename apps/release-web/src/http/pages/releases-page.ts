import { escapeMarkup } from '@workspace/service-kit';
import {
  type BranchFile,
  type Catalogue,
  isoDate,
  latestRelease,
  type NewsItem,
  releasesOf,
  supportDates,
} from '@workspace/release-catalogue';
import { hasRelease, isSupported, supportState } from '../../domain/support-state.ts';
import { type Transition, transitions } from '../../domain/transitions.ts';
import { day, dayOf, distance } from '../dates.ts';
import type { PageLinks } from '../site.ts';
import { branchesOnTimeline, spanAround, timelineFigure } from './timeline.ts';
import { pageDocument, type PageSite } from './document.ts';
import { buildSection, buildsToTest, fileList, releaseFiles } from './files.ts';
import { branchPath, releasePath } from '../../domain/paths.ts';
import { isNoteworthy, kindTag, stateTag, TRANSITION_WORDS } from './support.ts';

/** `/releases/` for people: what is supported and until when, what happens next, downloads, builds to test, news. */
export const releasesPage = (catalogue: Catalogue, now: Date, site: PageSite): string => {
  const { links } = site;
  const { product, news } = catalogue;
  const { name } = product;
  const newestFirst = [...catalogue.branches].reverse();
  const supported = newestFirst.filter((branch) => isSupported(branch, now));
  const ended = newestFirst.filter((branch) => hasRelease(branch) && !isSupported(branch, now));
  const summary = summaryOf(name, supported, now);
  return pageDocument({
    title: `${name} releases: supported versions and downloads`,
    path: '/releases/',
    description: summary,
    catalogue,
    now,
    site,
    main: `<h1>Supported ${escapeMarkup(name)} versions</h1>
<p class="lead">${escapeMarkup(summary)}${newestSentence(name, supported[0])}</p>
${timelineOf(catalogue, now, links)}
${nextSection(catalogue, now)}
${supported.length > 0 ? supportedTable(supported, now) : ''}
${supported.length > 0 ? `<section id="downloads"><h2>Downloads</h2><div class="releases">${supported.map((branch) => downloadSection(name, branch, now)).join('\n')}</div></section>` : ''}
${testingSection(catalogue, now)}
<div class="columns">
${newsSection(news)}
${programsSection(supported[0] ?? newestFirst[0], links)}
</div>
${ended.length > 0 ? endedTable(ended) : ''}`,
  });
};

const newestSentence = (name: string, branch: BranchFile | undefined): string => {
  const release = branch && latestRelease(branch);
  return release
    ? ` The newest release is <a href="${releasePath(release)}">${escapeMarkup(`${name} ${release.version}`)}</a>.`
    : '';
};

const list = new Intl.ListFormat('en', { type: 'conjunction' });

/** Which branches are supported, in words. */
const summaryOf = (name: string, supported: readonly BranchFile[], now: Date): string => {
  const named = (state: string) =>
    supported
      .filter((branch) => supportState(branch, now).state === state)
      .map(({ branch }) => `${name} ${branch}`);
  const [active, secured] = [named('stable'), named('security')];
  const sentences = [
    ...(active.length > 0
      ? [`${list.format(active)} ${active.length > 1 ? 'are' : 'is'} in active support.`]
      : []),
    ...(secured.length > 0
      ? [`${list.format(secured)} ${secured.length > 1 ? 'get' : 'gets'} security fixes only.`]
      : []),
  ];
  return sentences.join(' ') || `No version of ${name} is supported.`;
};

const timelineOf = (catalogue: Catalogue, now: Date, links: PageLinks): string => {
  const branches = branchesOnTimeline(catalogue, now);
  if (branches.length === 0) return '';
  const label = `Timeline of support for ${catalogue.product.name} ${list.format(branches.map(({ branch }) => branch))}. The dates are in the table of supported branches.`;
  return timelineFigure(branches, spanAround(branches, now), now, label, links.calendar);
};

/** Days ahead that are shown; one day can change several branches. */
const NEXT_DAYS = 3;

const nextSection = (catalogue: Catalogue, now: Date): string => {
  const byDay = new Map<string, Transition[]>();
  for (const transition of transitions(catalogue)) {
    if (transition.at <= now || !isNoteworthy(transition)) continue;
    const key = isoDate(transition.at);
    byDay.set(key, [...(byDay.get(key) ?? []), transition]);
  }
  const { name } = catalogue.product;
  const items = [...byDay.values()].slice(0, NEXT_DAYS).map(
    (changes) =>
      `<li><strong>${day(changes[0]!.at)}</strong> <span class="muted small">${distance(changes[0]!.at, now)}</span>
<ul>${changes
        .toReversed()
        .map(
          ({ branch, kind }) =>
            `<li><a href="${branchPath({ branch })}">${escapeMarkup(`${name} ${branch}`)}</a> ${TRANSITION_WORDS[kind]}.</li>`,
        )
        .join('')}</ul></li>`,
  );
  return items.length > 0
    ? `<section><h2>What happens next</h2><ol class="next">${items.join('\n')}</ol></section>`
    : '';
};

const supportedTable = (supported: readonly BranchFile[], now: Date): string => `<section>
<h2 id="supported">Supported branches</h2>
<table aria-labelledby="supported">
<thead><tr><th scope="col">Branch</th><th scope="col" class="wide">Status</th><th scope="col">Latest</th><th scope="col" class="wide">First release</th><th scope="col">Active support ends</th><th scope="col">Security support ends</th></tr></thead>
<tbody>
${supported.map((branch) => supportedRow(branch, now)).join('\n')}
</tbody>
</table>
</section>`;

const supportedRow = (branch: BranchFile, now: Date): string => {
  const { initialRelease, activeSupportEnd, securitySupportEnd } = supportState(branch, now);
  const latest = latestRelease(branch)!;
  const end = (date: Date | null): string =>
    date ? `${day(date)} <small>${distance(date, now)}</small>` : 'unknown';
  return `<tr><th scope="row"><a href="${branchPath(branch)}">${escapeMarkup(branch.branch)}</a></th><td class="wide">${stateTag(branch, now)}</td><td><a href="${releasePath(latest)}">${escapeMarkup(latest.version)}</a> <small>${dayOf(latest.date)}</small></td><td class="wide">${initialRelease ? day(initialRelease) : 'unknown'}</td><td>${end(activeSupportEnd)}</td><td>${end(securitySupportEnd)}</td></tr>`;
};

const downloadSection = (name: string, branch: BranchFile, now: Date): string => {
  const release = latestRelease(branch)!;
  return `<section class="release" id="v${escapeMarkup(release.version)}">
<div class="release-head"><h3><a href="${releasePath(release)}">${escapeMarkup(`${name} ${release.version}`)}</a></h3><span class="muted">${dayOf(release.date)}</span>${kindTag(release)}${stateTag(branch, now)}</div>
${fileList(releaseFiles({ ...release, published: { ...release.published, windows: [] } }))}
</section>`;
};

/** What can be tested, when there is anything. */
const testingSection = (catalogue: Catalogue, now: Date): string => {
  const builds = catalogue.branches.flatMap((branch) => buildsToTest(branch, now));
  if (builds.length === 0) return '';
  return `<section id="testing"><h2>To be tested</h2>
<p class="muted">Builds of coming releases. Try them with your code and report what breaks; do not run them in production.</p>
<div class="releases">${builds
    .toReversed()
    .map((slot) => buildSection(catalogue.product, slot, now))
    .join('\n')}</div></section>`;
};

const newsSection = (news: readonly NewsItem[]): string =>
  news.length === 0
    ? ''
    : `<section id="news"><h2>News</h2><ul class="plain">${news.map(newsItem).join('\n')}</ul></section>`;

const newsItem = ({ link, title, published, summary }: NewsItem): string =>
  `<li><a href="${escapeMarkup(link)}">${escapeMarkup(title)}</a><p>${escapeMarkup(summary)}</p><small class="muted">${day(new Date(published))}</small></li>`;

const programsSection = (
  branch: BranchFile | undefined,
  { calendar }: PageLinks,
): string => `<section id="programs"><h2>For programs</h2>
<ul class="plain">
<li><a href="/releases/feed.php">Atom feed</a> or <a href="/releases/feed.json">JSON feed</a><p class="muted">New releases and news, in a feed reader or a chat.</p></li>${calendar ? `\n<li><a href="${calendar}">Calendar</a><p class="muted">The day each support ends, for Outlook, Google or Apple calendars.</p></li>` : ''}
${branch ? `<li><a href="/api/v1/branches/${branch.branch}">Branch ${escapeMarkup(branch.branch)} as JSON</a><p class="muted">State, dates and latest version. All paths are in the <a href="/docs">API reference</a>.</p></li>` : ''}
</ul></section>`;

const endedTable = (ended: readonly BranchFile[]): string => `<section>
<h2 id="ended">No longer supported</h2>
<table class="dense" aria-labelledby="ended">
<thead><tr><th scope="col">Branch</th><th scope="col">Last release</th><th scope="col" class="wide">Releases</th><th scope="col" class="wide">First release</th><th scope="col">Support ended</th></tr></thead>
<tbody>
${ended.map(endedRow).join('\n')}
</tbody>
</table>
</section>`;

const endedRow = (branch: BranchFile): string => {
  const { initialRelease, securitySupportEnd } = supportDates(branch);
  const latest = latestRelease(branch);
  const date = (value: Date | null): string => (value ? day(value) : 'unknown');
  return `<tr><th scope="row"><a href="${branchPath(branch)}">${escapeMarkup(branch.branch)}</a></th><td>${latest ? escapeMarkup(latest.version) : 'none'}</td><td class="wide">${releasesOf(branch).length}</td><td class="wide">${date(initialRelease)}</td><td>${date(securitySupportEnd)}</td></tr>`;
};
