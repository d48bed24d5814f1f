import { announcements } from '../domain/announcement.ts';
import {
  branchOf,
  type Catalogue,
  devVersions,
  isoDate,
  parseIsoDate,
  preReleases,
  releasesOf,
} from '@workspace/release-catalogue';
import { phpJson } from './representations/php/php-json.ts';
import { phpSerialize } from './representations/php/php-serialize.ts';
import type { PhpValue } from './representations/php/php-value.ts';
import { transitions } from '../domain/transitions.ts';
import { activeView } from './representations/php/active.ts';
import { atomFeed } from './representations/atom.ts';
import { branchesView } from './representations/php/branches.ts';
import { mirrorInfo } from './representations/mirror-info.ts';
import { preReleasesKeyed } from './representations/php/pre-release-keyed.ts';
import { preReleaseRecords } from './representations/php/pre-release-records.ts';
import { type ReleaseIndexQuery, releaseIndexView } from './representations/php/release-index.ts';
import { releasePageView } from './pages/release-page.ts';
import { releasesPage } from './pages/releases-page.ts';
import { statesView } from './representations/php/states.ts';
import { scheduleCalendar } from './representations/calendar.ts';
import { JsonFeed, jsonFeed } from './representations/json-feed.ts';
import { timelineSvg } from './representations/timeline.ts';
import { type Api, buildApi, jsonAnswer } from './api-responses.ts';
import { type Answer, buildAnswer } from './representation.ts';
import { memoize } from './memoize.ts';
import type { Site } from './site.ts';

/** PHP's two ways to write a value. */
export type PhpFormat = 'json' | 'serialize';
type PhpAnswers = Readonly<Record<PhpFormat, Answer>>;

/** All answers at one instant, and how long they hold. Never changed, only replaced. */
export interface Snapshot {
  readonly catalogue: Catalogue;
  readonly builtAt: Date;
  /** the next moment at which an answer changes without a new fact */
  readonly nextTransition: Date | null;
  /** the newest of the data's revision and the last transition */
  readonly lastModified: Date;
  readonly lastModifiedText: string;
  readonly mirrorInfo: Answer;
  readonly atomFeed: Answer;
  readonly branches: Answer;
  readonly states: Answer;
  readonly active: Answer;
  readonly preReleases: PhpAnswers;
  readonly devVersions: PhpAnswers;
  readonly releasesPage: Answer;
  /** undefined for a version that is not on record */
  readonly releasePage: (version: string) => Answer | undefined;
  readonly jsonFeed: Answer;
  readonly schedule: Answer;
  /** shows today, so it is asked for with the instant */
  readonly timeline: (now: Date) => Answer;
  readonly api: Api;
  readonly releaseIndex: (query: ReleaseIndexQuery, format: PhpFormat) => Answer;
}

const JSON_TYPE = 'application/json; charset=UTF-8';
const HTML_TYPE = 'text/html; charset=utf-8';
const SERIALIZED_TYPE = 'text/plain; charset=UTF-8';

/** More questions than the clients of php.net ask; beyond it the oldest answer is built again. */
const REMEMBERED_QUESTIONS = 256;

/** Builds every answer from facts and one instant. */
export const buildSnapshot = (catalogue: Catalogue, now: Date, site: Site): Snapshot => {
  const moments = transitions(catalogue);
  const last = moments.findLast(({ at }) => at <= now)?.at ?? catalogue.revision;
  const lastModified = catalogue.revision > last ? catalogue.revision : last;
  const entries = announcements(catalogue, now);
  const slots = preReleases(catalogue);
  const keyed = preReleasesKeyed(catalogue.product, slots);
  const versions = devVersions(slots);

  const releaseIndex = memoize(REMEMBERED_QUESTIONS, (key: string): Answer => {
    const { query, format } = JSON.parse(key) as { query: ReleaseIndexQuery; format: PhpFormat };
    const value = releaseIndexView(catalogue, now, query);
    // php.net names no charset here, and clients compare.
    return format === 'json'
      ? buildAnswer('application/json', phpJson(value))
      : buildAnswer('text/plain', phpSerialize(value));
  });

  const releasePage = memoize(REMEMBERED_QUESTIONS, (version) => {
    const branch = catalogue.branches.find((candidate) => candidate.branch === branchOf(version));
    const release = branch && releasesOf(branch).find((candidate) => candidate.version === version);
    return release && buildAnswer(HTML_TYPE, releasePageView(catalogue, branch, release, now));
  });
  const timeline = memoize(1, (day) =>
    buildAnswer('image/svg+xml', timelineSvg(catalogue, parseIsoDate(day)!)),
  );

  return Object.freeze<Snapshot>({
    catalogue,
    builtAt: now,
    nextTransition: moments.find(({ at }) => at > now)?.at ?? null,
    lastModified,
    lastModifiedText: lastModified.toUTCString(),
    // The contract says that it is always 200.
    mirrorInfo: buildAnswer('text/plain; charset=utf-8', mirrorInfo(catalogue, site.host), {
      isUnconditional: true,
    }),
    atomFeed: buildAnswer('application/atom+xml', atomFeed(catalogue, entries, site.baseUrl)),
    branches: buildAnswer(JSON_TYPE, phpJson(branchesView(catalogue, now))),
    states: buildAnswer(JSON_TYPE, phpJson(statesView(catalogue, now))),
    active: buildAnswer(JSON_TYPE, phpJson(activeView(catalogue, now))),
    preReleases: phpAnswers(site.preReleaseShape === 'keyed' ? keyed : preReleaseRecords(slots)),
    // php.net has no list of reported versions when nothing is active.
    devVersions: phpAnswers(site.preReleaseShape === 'keyed' && versions.length === 0 ? null : versions),
    releasesPage: buildAnswer(HTML_TYPE, releasesPage(catalogue, now, site.baseUrl)),
    releasePage,
    jsonFeed: jsonAnswer(JsonFeed, jsonFeed(catalogue, entries, site.baseUrl), 'application/feed+json'),
    schedule: buildAnswer('text/calendar; charset=utf-8', scheduleCalendar(catalogue)),
    timeline: (instant) => timeline(isoDate(instant)),
    api: buildApi(catalogue, now, lastModified, site.baseUrl),
    releaseIndex: (query, format) => releaseIndex(JSON.stringify({ query, format })),
  });
};

const phpAnswers = (value: PhpValue): PhpAnswers => ({
  json: buildAnswer(JSON_TYPE, phpJson(value)),
  serialize: buildAnswer(SERIALIZED_TYPE, phpSerialize(value)),
});
