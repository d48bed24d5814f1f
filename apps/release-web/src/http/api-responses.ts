import type { TSchema } from '@sinclair/typebox';
import { type BranchFile, devVersions, latestRelease } from '@workspace/release-catalogue';
import type { Snapshot } from '../application/snapshot.ts';
import {
  filterReleases,
  type ListedRelease,
  listReleases,
  pageOf,
  type ReleaseFilter,
} from '../domain/release-list.ts';
import type { ReportedVersion } from '../domain/reported-version.ts';
import { transitions } from '../domain/transitions.ts';
import { Representation } from './representation.ts';
import type { RepresentationCache } from './representation-cache.ts';
import { branchView } from './representations/api/branch.ts';
import { envelope } from './representations/api/envelope.ts';
import { eventView } from './representations/api/event.ts';
import { preReleaseView } from './representations/api/pre-release.ts';
import { releaseView } from './representations/api/release.ts';
import { supportView } from './representations/api/support.ts';
import { checkedJson } from './representations/checked-json.ts';
import { ApiSchemas } from './schemas/api.ts';
import { ApiRelease } from './schemas/release.ts';

export interface ReleaseListQuery extends ReleaseFilter {
  readonly limit: number;
  readonly cursor?: string;
}

/** The responses of `/api/v1` while a snapshot holds. Those with parameters are built when first asked for. */
export interface ApiResponses {
  readonly branches: Representation;
  readonly branch: (branch: BranchFile) => Representation;
  /** undefined for a cursor that no page of this list has */
  readonly releases: (query: ReleaseListQuery) => Representation | undefined;
  /** undefined for a version that is not on record */
  readonly release: (version: string) => Representation | undefined;
  /** undefined before the first release */
  readonly latest: (branch: BranchFile | undefined) => Representation | undefined;
  readonly preReleases: Representation;
  readonly devVersions: Representation;
  /** @param text as it was asked for; `version` is what it says */
  readonly support: (branch: BranchFile, text: string, version: ReportedVersion) => Representation;
  readonly events: (branch: BranchFile | undefined) => Representation;
}

const JSON_TYPE = 'application/json; charset=utf-8';

export const apiResponses = (
  { catalogue, builtAt: now, lastModified, preReleases }: Snapshot,
  cache: RepresentationCache,
  baseUrl: string,
): ApiResponses => {
  const head = envelope(lastModified);
  const all = listReleases(catalogue);
  const one = (schema: TSchema, item: unknown) =>
    new Representation(JSON_TYPE, checkedJson(schema, { ...head, item }));
  const many = (schema: TSchema, items: readonly unknown[]) =>
    new Representation(JSON_TYPE, checkedJson(schema, { ...head, total: items.length, items }));

  const release = (version: string): Representation | undefined =>
    cache.get(`release ${version}`, () => {
      const found = all.find((listed) => listed.release.version === version);
      return found && one(ApiSchemas.release, releaseView(found.branch, found.release, baseUrl));
    });

  // A release is on many pages, but written once.
  const texts = new Map<ListedRelease, string>();
  const itemText = (listed: ListedRelease): string => {
    const known = texts.get(listed);
    if (known !== undefined) return known;
    const text = checkedJson(ApiRelease, releaseView(listed.branch, listed.release, baseUrl));
    texts.set(listed, text);
    return text;
  };
  const releases = ({ limit, cursor, ...filter }: ReleaseListQuery): Representation | undefined => {
    const list = filterReleases(all, filter);
    const page = pageOf(list, limit, cursor ?? null);
    if (!page) return undefined;
    const { start, items, next } = page;
    // Days between two releases give the same list, which its length tells apart from the others.
    const { branch = '', security = '' } = items.length > 0 ? filter : {};
    return cache.get(`releases ${branch} ${security} ${list.length} ${start} ${items.length}`, () => {
      const frame = JSON.stringify({ ...head, total: list.length, next_cursor: next });
      return new Representation(
        JSON_TYPE,
        `${frame.slice(0, -1)},"items":[${items.map(itemText).join(',')}]}`,
      );
    });
  };
  const newest = catalogue.branches.findLast(latestRelease);

  return Object.freeze<ApiResponses>({
    branches: many(
      ApiSchemas.branches,
      [...catalogue.branches].reverse().map((file) => branchView(file, now)),
    ).popular(),
    branch: (file) => cache.get(`branch ${file.branch}`, () => one(ApiSchemas.branch, branchView(file, now))),
    releases,
    release,
    latest: (file = newest) => {
      const latest = file && latestRelease(file);
      return latest && release(latest.version);
    },
    preReleases: many(
      ApiSchemas.preReleases,
      preReleases.map((slot) => preReleaseView(catalogue.product, slot)),
    ).popular(),
    devVersions: many(ApiSchemas.devVersions, devVersions(preReleases)).popular(),
    // Small, and there are as many as there are version strings: never remembered.
    support: (file, text, version) =>
      one(ApiSchemas.support, supportView(catalogue, file, text, version, now)),
    events: (file) =>
      cache.get(`events ${file?.branch ?? ''}`, () =>
        many(
          ApiSchemas.events,
          transitions(catalogue)
            .filter(({ branch }) => file === undefined || branch === file.branch)
            .map((transition) => eventView(transition, now)),
        ),
      ),
  });
};
