import type { TSchema } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { newAjv } from '@workspace/service-kit';
import {
  type BranchFile,
  type Catalogue,
  devVersions,
  latestRelease,
  preReleases,
} from '@workspace/release-catalogue';
import { transitions } from '../domain/transitions.ts';
import { ApiBranch, branchView } from './representations/api/branch.ts';
import { envelope, Many, One, Page } from './representations/api/envelope.ts';
import { ApiEvent, eventView } from './representations/api/event.ts';
import { ApiPreRelease, preReleaseView } from './representations/api/pre-release.ts';
import { listReleases, pageOf, parseCursor, type ReleaseFilter } from '../domain/release-list.ts';
import { ApiRelease, releaseView } from './representations/api/release.ts';
import { ApiSupport, supportView } from './representations/api/support.ts';
import { type Answer, buildAnswer } from './representation.ts';
import { memoize } from './memoize.ts';
import type { ReportedVersion } from '../domain/reported-version.ts';

/** The shapes of the answers of `/api/v1`. */
export const ApiAnswers = {
  branches: Many(ApiBranch),
  branch: One(ApiBranch),
  releases: Page(ApiRelease),
  release: One(ApiRelease),
  preReleases: Many(ApiPreRelease),
  devVersions: Many(Type.String()),
  support: One(ApiSupport),
  events: Many(ApiEvent),
};

export interface ReleaseListQuery extends ReleaseFilter {
  readonly limit: number;
  readonly cursor?: string;
}

/** The answers of `/api/v1` at one instant. Those with parameters are built when first asked for. */
export interface Api {
  readonly branches: Answer;
  readonly branch: (branch: BranchFile) => Answer;
  readonly releases: (query: ReleaseListQuery) => Answer;
  /** undefined for a version that is not on record */
  readonly release: (version: string) => Answer | undefined;
  /** undefined before the first release */
  readonly latest: (branch: BranchFile | undefined) => Answer | undefined;
  readonly preReleases: Answer;
  readonly devVersions: Answer;
  /** @param text as it was asked for; `version` is what it says */
  readonly support: (branch: BranchFile, text: string, version: ReportedVersion) => Answer;
  readonly events: (branch: BranchFile | undefined) => Answer;
}

/** More questions than are asked within one snapshot's life; beyond it the oldest answer is built again. */
const REMEMBERED_QUESTIONS = 512;

export const buildApi = (catalogue: Catalogue, now: Date, lastModified: Date, baseUrl: string): Api => {
  const head = envelope({ lastModified });
  const all = listReleases(catalogue, {});
  const branchNamed = (name: string) => catalogue.branches.find(({ branch }) => branch === name);
  const one = (schema: TSchema, item: unknown) => jsonAnswer(schema, { ...head, item });
  const many = (schema: TSchema, items: readonly unknown[]) =>
    jsonAnswer(schema, { ...head, total: items.length, items });

  const releaseAnswer = (version: string): Answer | undefined => {
    const found = all.find(({ release }) => release.version === version);
    return found && one(ApiAnswers.release, releaseView(found.branch, found.release, baseUrl));
  };
  const releasesAnswer = ({ limit, cursor, ...filter }: ReleaseListQuery): Answer => {
    const list = listReleases(catalogue, filter);
    const { items, next } = pageOf(list, limit, cursor === undefined ? null : parseCursor(cursor));
    return jsonAnswer(ApiAnswers.releases, {
      ...head,
      total: list.length,
      next_cursor: next,
      items: items.map(({ branch, release }) => releaseView(branch, release, baseUrl)),
    });
  };
  const eventsAnswer = (name: string): Answer =>
    many(
      ApiAnswers.events,
      transitions(catalogue)
        .filter(({ branch }) => name === '' || branch === name)
        .map((transition) => eventView(transition, now)),
    );

  const branch = memoize(REMEMBERED_QUESTIONS, (name) =>
    one(ApiAnswers.branch, branchView(branchNamed(name)!, now)),
  );
  const releases = memoize(REMEMBERED_QUESTIONS, (key) =>
    releasesAnswer(JSON.parse(key) as ReleaseListQuery),
  );
  const release = memoize(REMEMBERED_QUESTIONS, releaseAnswer);
  const events = memoize(REMEMBERED_QUESTIONS, eventsAnswer);
  const newest = catalogue.branches.findLast(latestRelease);
  const slots = preReleases(catalogue);

  return Object.freeze<Api>({
    branches: many(
      ApiAnswers.branches,
      [...catalogue.branches].reverse().map((file) => branchView(file, now)),
    ),
    branch: (file) => branch(file.branch),
    releases: (query) => releases(JSON.stringify(query)),
    release,
    latest: (file = newest) => {
      const latest = file && latestRelease(file);
      return latest && release(latest.version);
    },
    preReleases: many(
      ApiAnswers.preReleases,
      slots.map((slot) => preReleaseView(catalogue.product, slot)),
    ),
    devVersions: many(ApiAnswers.devVersions, devVersions(slots)),
    support: (file, text, version) =>
      one(ApiAnswers.support, supportView(catalogue, file, text, version, now)),
    events: (file) => events(file?.branch ?? ''),
  });
};

type Judge = ReturnType<ReturnType<typeof newAjv>['compile']>;
const judges = new WeakMap<TSchema, Judge>();

/** JSON that its schema agrees with: a description that lies is worse than none. */
export const jsonAnswer = (
  schema: TSchema,
  value: unknown,
  contentType = 'application/json; charset=utf-8',
): Answer => {
  const judge = judges.get(schema) ?? newAjv().compile(schema);
  judges.set(schema, judge);
  if (!judge(value)) throw new Error(`an answer differs from its schema: ${JSON.stringify(judge.errors)}`);
  return buildAnswer(contentType, JSON.stringify(value));
};
