import type { Published, Release } from '../schemas/index.ts';
import { type Catalogue, currentTable, historyTable, majorOf } from '../facts/catalogue.ts';
import { withKeptFeedId } from '../facts/feed-id.ts';
import { compareVersions } from '../facts/version.ts';

/** A release as php.net keeps it when it enters the history: first of its table, its page by name, not yet in the museum. */
export const past = (catalogue: Catalogue, release: Release): Release => {
  const table = historyTable(catalogue, majorOf(release.version));
  return withKeptFeedId(catalogue.product, release, {
    ...release,
    rank: nextRank(table.map((row) => row.release)),
    published: { ...pastAnnouncement(release), museum: release.published.museum ?? false },
  });
};

const pastAnnouncement = ({ version, published }: Release): Published => {
  const { announcement, ...rest } = published;
  if (announcement === true) {
    // Spread first: the member keeps its place.
    return { ...published, announcement: { English: `/releases/${version.replaceAll('.', '_')}.php` } };
  }
  return typeof announcement === 'object' ? published : rest;
};

/** The place of a release whose branch enters the current table: above those of lower branches. */
export const enteringRank = (catalogue: Catalogue, version: string): number => {
  const table = currentTable(catalogue, majorOf(version)).map(({ release }) => release);
  // Stryker disable next-line EqualityOperator: the branch of the version is not in the table
  return nextRank(table.filter((release) => compareVersions(release.version, version) < 0));
};

/** The place above all others of a table. */
const nextRank = (table: readonly Release[]): number => Math.max(0, ...table.map(({ rank }) => rank)) + 1;
