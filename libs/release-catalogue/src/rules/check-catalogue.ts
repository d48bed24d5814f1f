import type { Catalogue } from '../facts/catalogue.ts';
import type { Moment, Rule, Violation } from './rule.ts';
import { firstRelease, retiredBranch, supportOrder } from './branches.ts';
import { buildAhead, buildFolder, buildHashes, buildNumber } from './builds.ts';
import { calendarDates, revisionAhead } from './calendar-dates.ts';
import {
  feedIdsKept,
  publicationOrder,
  publishedImmutable,
  recordsKept,
  releaseLost,
  revisionRaised,
  supportRecorded,
} from './changes.ts';
import { entryDate, fileDate, releaseDate, thursday } from './dates.ts';
import { cveIds, fixesKept, securityFixes } from './fixes.ts';
import { hashFormat, hashMissing, hashUnique, hashUniqueInRelease } from './hashes.ts';
import { newsIds, newsUpdated } from './news.ts';
import { explicitKind, yank } from './releases.ts';
import { signingKeys } from './signing-keys.ts';
import {
  ascending,
  filenameOnce,
  releaseNumber,
  sourceFilename,
  versionInBranch,
  versionOnce,
} from './versions.ts';

/** Every semantic rule by the name its violations carry. */
export const RULES: Readonly<Record<string, Rule>> = {
  'version-in-branch': versionInBranch,
  'version-once': versionOnce,
  'release-number': releaseNumber,
  ascending,
  'source-filename': sourceFilename,
  'filename-once': filenameOnce,
  'calendar-date': calendarDates,
  'release-date': releaseDate,
  'file-date': fileDate,
  'entry-date': entryDate,
  thursday,
  'revision-raised': revisionRaised,
  'revision-ahead': revisionAhead,
  'hash-format': hashFormat,
  'hash-missing': hashMissing,
  'hash-unique-in-release': hashUniqueInRelease,
  'hash-unique': hashUnique,
  'explicit-kind': explicitKind,
  'security-fixes': securityFixes,
  'fixes-kept': fixesKept,
  'cve-id': cveIds,
  'signing-keys': signingKeys,
  yank,
  'build-folder': buildFolder,
  'build-number': buildNumber,
  'build-hashes': buildHashes,
  'build-ahead': buildAhead,
  'support-order': supportOrder,
  'first-release': firstRelease,
  'retired-branch': retiredBranch,
  'news-id': newsIds,
  'news-updated': newsUpdated,
  'release-lost': releaseLost,
  'published-immutable': publishedImmutable,
  'records-kept': recordsKept,
  'feed-id': feedIdsKept,
  'publication-order': publicationOrder,
  'support-recorded': supportRecorded,
};

/**
 * Everything the semantic rules find in a catalogue whose shapes are valid. What the data accepts for a reason comes
 * back as a warning; an acceptance that accepts nothing is itself worth a warning.
 */
export const checkCatalogue = (catalogue: Catalogue, moment: Moment = {}): Violation[] => {
  const violations: Violation[] = Object.entries(RULES).flatMap(([rule, find]) =>
    [...find(catalogue, moment)].map((finding) => ({ rule, ...finding })),
  );
  const accepted = new Map(
    catalogue.accepted.flatMap(({ rule, reason, subjects }) =>
      subjects.map((subject) => [`${rule} ${subject}`, reason] as [string, string]),
    ),
  );
  const found = new Set<string>(violations.map(keyOf));
  return [
    ...violations.map((violation): Violation => {
      const reason = accepted.get(keyOf(violation));
      return reason === undefined ? violation : { ...violation, severity: 'warning', accepted: reason };
    }),
    ...[...accepted.keys()].filter((key) => !found.has(key)).map(unused),
  ];
};

const keyOf = ({ rule, subject }: Violation): string => `${rule} ${subject}`;

const unused = (key: string): Violation => ({
  rule: 'acceptance-unused',
  severity: 'warning',
  file: 'accepted-findings.json',
  pointer: '/accepted',
  subject: key,
  detail: `"${key}" is accepted, but nothing like it is found`,
});
