import type { TSchema } from '@sinclair/typebox';
import {
  type BranchFile,
  branchOf,
  devVersions,
  isoDate,
  parseIsoDate,
  releasesOf,
} from '@workspace/release-catalogue';
import type { Snapshot } from '../application/snapshot.ts';
import { type Announcement, branchAnnouncements } from '../domain/announcement.ts';
import { canonicalQuery, type ReleaseIndexQuery } from '../domain/release-index.ts';
import { type ApiResponses, apiResponses } from './api-responses.ts';
import { branchPage } from './pages/branch-page.ts';
import { PAGE_POLICY } from './pages/document.ts';
import { releasePage } from './pages/release-page.ts';
import { releasesPage } from './pages/releases-page.ts';
import { Representation } from './representation.ts';
import { RepresentationCache } from './representation-cache.ts';
import { atomFeed } from './representations/atom.ts';
import { scheduleCalendar } from './representations/calendar.ts';
import { checkedJson } from './representations/checked-json.ts';
import {
  branchSupportView,
  endoflifeCycle,
  endoflifeCycles,
  endoflifeProduct,
} from './representations/endoflife.ts';
import { branchFrame, type FeedFormat, type FeedFrame, siteFrame } from './representations/feed-frame.ts';
import { jsonFeed } from './representations/json-feed.ts';
import { mirrorInfo } from './representations/mirror-info.ts';
import { activeView } from './representations/php/active.ts';
import { branchesView } from './representations/php/branches.ts';
import { phpJson } from './representations/php/php-json.ts';
import { phpSerialize } from './representations/php/php-serialize.ts';
import type { PhpValue } from './representations/php/php-value.ts';
import { preReleasesKeyed } from './representations/php/pre-release-keyed.ts';
import { preReleaseRecords } from './representations/php/pre-release-records.ts';
import { releaseIndexView, UNKNOWN_VERSION } from './representations/php/release-index.ts';
import { statesView } from './representations/php/states.ts';
import { timelineSvg } from './representations/timeline.ts';
import {
  BranchSupport,
  EndoflifeCycleDetail,
  EndoflifeCycles,
  EndoflifeProduct,
} from './schemas/endoflife.ts';
import { JsonFeed } from './schemas/json-feed.ts';
import { type Validity, validityOf } from './send.ts';
import type { Site } from './site.ts';

/** PHP's two ways to write a value. */
export type PhpFormat = 'json' | 'serialize';
type PhpRepresentations = Readonly<Record<PhpFormat, Representation>>;

/** Everything the service answers while a snapshot holds. */
export interface Responses {
  readonly validity: Validity;
  readonly mirrorInfo: Representation;
  readonly atomFeed: Representation;
  readonly branches: Representation;
  readonly preReleases: PhpRepresentations;
  readonly devVersions: PhpRepresentations;
  readonly releaseIndex: (query: ReleaseIndexQuery, format: PhpFormat) => Representation;
  readonly active: Representation;
  readonly states: Representation;
  readonly branchFeed: (branch: BranchFile, format: FeedFormat) => Representation;
  readonly branchSupport: (branch: BranchFile) => Representation;
  readonly endoflifeProduct: Representation;
  readonly endoflifeCycles: Representation;
  /** undefined for a branch that endoflife.date would not list */
  readonly endoflifeCycle: (branch: string) => Representation | undefined;
  /** shows today, as do the pages of branches: asked for with the instant */
  readonly releasesPage: (now: Date) => Representation;
  readonly branchPage: (branch: BranchFile, now: Date) => Representation;
  /** undefined for a version that is not on record */
  readonly releasePage: (version: string) => Representation | undefined;
  readonly jsonFeed: Representation;
  readonly schedule: Representation;
  /** shows today, so it is asked for with the instant */
  readonly timeline: (now: Date) => Representation;
  readonly api: ApiResponses;
}

const JSON_TYPE = 'application/json; charset=UTF-8';
const HTML_TYPE = 'text/html; charset=utf-8';
const API_JSON_TYPE = 'application/json; charset=utf-8';
const FEED_TYPES = { atom: 'application/atom+xml', json: 'application/feed+json' } as const;
const SERIALIZED_TYPE = 'text/plain; charset=UTF-8';
/** php.net names no charset in the release index; PHP adds one to `text/plain`, in this spelling. */
const INDEX_TYPES = { json: 'application/json', serialize: 'text/plain;charset=UTF-8' } as const;

const ENCODERS = { json: phpJson, serialize: phpSerialize } as const;

/** For answers that depend on parameters. All releases of PHP, each alone and encoded in two ways, need 6 MB. */
const CACHE_BYTES = 16 * 1024 * 1024;

/** Renders a snapshot. What takes parameters is rendered when it is first asked for. */
export const renderResponses = (snapshot: Snapshot, site: Site): Responses => {
  const { catalogue, builtAt: now, announcements: entries, preReleases: slots } = snapshot;
  const cache = new RepresentationCache(CACHE_BYTES);
  const keyed = site.preReleaseShape === 'keyed';
  const versions = devVersions(slots);
  const unknownVersion = php(UNKNOWN_VERSION, INDEX_TYPES);

  const page = (html: string) => new Representation(HTML_TYPE, html, { policy: PAGE_POLICY });
  /** Once a day: what shows today, made with midnight as the instant. */
  const daily = (key: string, instant: Date, render: (midnight: Date) => Representation): Representation => {
    const date = isoDate(instant);
    return cache.get(`${key} ${date}`, () => render(parseIsoDate(date)!));
  };
  const pageOfRelease = (version: string): Representation | undefined =>
    cache.get(`page ${version}`, () => {
      const branch = catalogue.branches.find((candidate) => candidate.branch === branchOf(version));
      const release = branch && releasesOf(branch).find((candidate) => candidate.version === version);
      return release && page(releasePage(catalogue, branch, release, now, site.baseUrl));
    });
  const feedOf = (format: FeedFormat, frame: FeedFrame, items: readonly Announcement[]): string =>
    format === 'atom'
      ? atomFeed(catalogue, frame, items, site.baseUrl)
      : checkedJson(JsonFeed, jsonFeed(catalogue, frame, items, site.baseUrl));
  const feedText = (format: FeedFormat) =>
    feedOf(format, siteFrame(catalogue, entries, format, site), entries);
  const branchFeed = (branch: BranchFile, format: FeedFormat): Representation =>
    cache.get(`feed ${branch.branch} ${format}`, () => {
      const items = branchAnnouncements(catalogue, branch);
      const frame = branchFrame(catalogue, branch, items, format, site);
      return new Representation(FEED_TYPES[format], feedOf(format, frame, items));
    });
  const asJson = (schema: TSchema, value: unknown) =>
    new Representation(API_JSON_TYPE, checkedJson(schema, value));
  const releaseIndex = (query: ReleaseIndexQuery, format: PhpFormat): Representation => {
    const canonical = canonicalQuery(catalogue, query);
    if (!canonical) return unknownVersion[format];
    const { version = [], max = '' } = canonical;
    return cache.get(
      `index ${format} ${version.join('.')} ${max}`,
      () =>
        new Representation(
          INDEX_TYPES[format],
          ENCODERS[format](releaseIndexView(catalogue, now, canonical)),
        ),
    );
  };

  return Object.freeze<Responses>({
    validity: validityOf(snapshot.lastModified, snapshot.nextTransition),
    // The contract says that it is always 200.
    mirrorInfo: popular('text/plain; charset=utf-8', mirrorInfo(catalogue, site.host), {
      isUnconditional: true,
    }),
    atomFeed: popular('application/atom+xml', feedText('atom')),
    branches: popular(JSON_TYPE, phpJson(branchesView(catalogue, now))),
    preReleases: php(keyed ? preReleasesKeyed(catalogue.product, slots) : preReleaseRecords(slots)),
    // php.net has no list of reported versions when nothing is active.
    devVersions: php(keyed && versions.length === 0 ? null : versions),
    releaseIndex,
    active: popular(JSON_TYPE, phpJson(activeView(catalogue, now))),
    states: popular(JSON_TYPE, phpJson(statesView(catalogue, now))),
    branchFeed,
    branchSupport: (branch) =>
      cache.get(`support.json ${branch.branch}`, () => asJson(BranchSupport, branchSupportView(branch, now))),
    endoflifeProduct: asJson(
      EndoflifeProduct,
      endoflifeProduct(catalogue, snapshot.lastModified, now, site.baseUrl),
    ).popular(),
    endoflifeCycles: asJson(EndoflifeCycles, endoflifeCycles(catalogue, now, site.baseUrl)).popular(),
    endoflifeCycle: (name) =>
      cache.get(`endoflife ${name}`, () => {
        const cycle = endoflifeCycle(catalogue, name, now, site.baseUrl);
        return cycle && asJson(EndoflifeCycleDetail, cycle);
      }),
    releasesPage: (instant) =>
      daily('releases', instant, (today) => page(releasesPage(catalogue, today, site.baseUrl)).popular()),
    branchPage: (branch, instant) =>
      daily(`branch ${branch.branch}`, instant, (today) =>
        page(branchPage(catalogue, branch, today, site.baseUrl)),
      ),
    releasePage: pageOfRelease,
    jsonFeed: popular('application/feed+json', feedText('json')),
    schedule: popular('text/calendar; charset=utf-8', scheduleCalendar(catalogue)),
    timeline: (instant) =>
      daily(
        'timeline',
        instant,
        (today) => new Representation('image/svg+xml', timelineSvg(catalogue, today)),
      ),
    api: apiResponses(snapshot, cache, site.baseUrl),
  });
};

const popular = (...args: ConstructorParameters<typeof Representation>): Representation =>
  new Representation(...args).popular();

const php = (
  value: PhpValue,
  types: Readonly<Record<PhpFormat, string>> = { json: JSON_TYPE, serialize: SERIALIZED_TYPE },
): PhpRepresentations => ({
  json: popular(types.json, phpJson(value)),
  serialize: popular(types.serialize, phpSerialize(value)),
});
