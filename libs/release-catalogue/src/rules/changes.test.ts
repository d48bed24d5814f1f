import { correct } from '../edits/correct.ts';
import { setSupport } from '../edits/set-support.ts';
import { yank } from '../edits/yank.ts';
import { edited, newViolations, NOW, REAL, type RuleCase } from '../testing/edited-catalogue.ts';
import {
  feedIdsKept,
  publicationOrder,
  publishedImmutable,
  recordsKept,
  releaseLost,
  revisionRaised,
  supportRecorded,
} from './changes.ts';

const replaced =
  (branch: (typeof REAL.branches)[number]): RuleCase['edit'] =>
  (data) =>
    data.catalogue.branches.splice(
      data.catalogue.branches.findIndex((other) => other.branch === branch.branch),
      1,
      branch,
    );

const corrected = correct(
  REAL,
  {
    version: '8.4.24',
    reason: 'the page moved',
    members: [{ pointer: '/published/source/0/name', value: 'x' }],
  },
  NOW,
);

/** Before its release had an id on record. */
const unannounced = edited((data) => (data.release('8.4.24').published.announcement = false));
const hidden = correct(
  REAL,
  {
    version: '8.4.24',
    reason: 'it has no page',
    members: [{ pointer: '/published/announcement', value: false }],
  },
  NOW,
);
const longer = setSupport(
  REAL,
  { branch: '8.4', security: new Date('2029-12-31'), reason: 'a large user pays for it' },
  NOW,
);
const promoted = edited((data) => data.promote('8.4.25'));

const cases: RuleCase[] = [
  {
    title: 'an id that follows from an announcement that changes by hand',
    rule: feedIdsKept,
    edit: (data) => (data.release('8.4.24').published.announcement = false),
    finds: ['error feed-id branches/8.4.json#/current/feed 8.4.24 https://qa.php.net/#8.4.24'],
  },
  {
    title: 'a correction of the announcement keeps the id',
    rule: feedIdsKept,
    edit: replaced(hidden),
    finds: [],
  },
  {
    title: 'an unannounced release keeps its id on its way into the history',
    rule: feedIdsKept,
    edit: (data) => data.promote('8.4.25'),
    from: unannounced,
    finds: [],
  },
  {
    title: 'a release is known by when it came out',
    rule: feedIdsKept,
    edit: (data) => (data.release('8.4.25').feed!.published = '2026-08-28T00:00:00Z'),
    from: promoted,
    finds: ['error feed-id branches/8.4.json#/current/feed 8.4.25 http://php.net/releases/8_4_25.php'],
  },
  {
    title: 'a release whose id follows from the version, but not when it came out',
    rule: feedIdsKept,
    edit: (data) => delete data.release('8.4.25').feed,
    from: promoted,
    finds: ['error feed-id branches/8.4.json#/current/feed 8.4.25 http://php.net/releases/8_4_25.php'],
  },
  {
    title: 'the feed is known by its id',
    rule: feedIdsKept,
    edit: (data) => (data.catalogue.product.feed.id = 'https://php.example/'),
    finds: ['error feed-id product.json#/feed/id https://php.example/'],
  },
  {
    title: 'a merge brings a release that was recorded before what readers have seen',
    rule: publicationOrder,
    edit: (data) => {
      data.promote('8.5.10');
      data.branch('8.5').audit[0]!.at = '2026-08-27T08:00:00Z';
    },
    from: promoted,
    finds: ['warning publication-order branches/8.5.json#/audit/0 8.5.10 2026-08-27T08:00:00Z'],
  },
  {
    title: 'two releases with an equal clock are in order',
    rule: publicationOrder,
    edit: (data) => data.promote('8.5.10'),
    from: promoted,
    finds: [],
  },
  {
    title: 'the release before is lost when the next one comes, as 7.3.14 and 8.0.3 were',
    rule: releaseLost,
    edit: (data) => {
      data.promote('8.4.25');
      data.branch('8.4').history.shift();
    },
    finds: ['error release-lost branches/8.4.json# 8.4.24'],
  },
  {
    title: 'a branch is gone',
    rule: releaseLost,
    edit: (data) => data.catalogue.branches.shift(),
    finds: ['error release-lost branches/3.0.json# 3.0'],
  },
  {
    title: 'a promotion loses nothing',
    rule: releaseLost,
    edit: (data) => data.promote('8.4.25'),
    finds: [],
  },
  {
    title: 'a digest that changes by hand',
    rule: publishedImmutable,
    edit: (data) => (data.source('8.4.24').sha256 = 'f'.repeat(64)),
    finds: [
      'error published-immutable branches/8.4.json#/current/published/source/0/sha256 8.4.24 /published/source/0/sha256',
    ],
  },
  {
    title: 'a build that changes under its name',
    rule: publishedImmutable,
    edit: (data) => (data.build('8.4.25').release.sha256_gz = 'f'.repeat(64)),
    finds: [
      'error published-immutable branches/8.4.json#/pre_releases/0/release/sha256_gz 8.4.25RC1 /sha256_gz',
    ],
  },
  {
    title: 'a release that is withdrawn without a record',
    rule: publishedImmutable,
    edit: (data) => (data.release('8.4.24').yanked = { date: '2026-08-27', reason: 'broken' }),
    finds: ['error published-immutable branches/8.4.json#/current/yanked 8.4.24 /yanked'],
  },
  {
    title: 'a correction of one member does not cover another',
    rule: publishedImmutable,
    edit: (data) => {
      replaced(structuredClone(corrected))(data);
      data.source('8.4.24').date = '31 Jul 2026';
    },
    finds: [
      'error published-immutable branches/8.4.json#/current/published/source/0/date 8.4.24 /published/source/0/date',
    ],
  },
  {
    title: 'an old correction does not cover a new change',
    rule: publishedImmutable,
    from: edited(replaced(corrected)),
    edit: (data) => (data.source('8.4.24').name = 'y'),
    finds: [
      'error published-immutable branches/8.4.json#/current/published/source/0/name 8.4.24 /published/source/0/name',
    ],
  },
  {
    title: 'a recorded correction is fine',
    rule: publishedImmutable,
    edit: replaced(corrected),
    finds: [],
  },
  {
    title: 'a recorded withdrawal is fine',
    rule: publishedImmutable,
    edit: replaced(yank(REAL, { version: '8.4.24', date: NOW, reason: 'broken' }, NOW)),
    finds: [],
  },
  {
    title: 'going into the history changes only what php.net changes',
    rule: publishedImmutable,
    edit: (data) => data.promote('8.4.25'),
    finds: [],
  },
  {
    title: 'a build takes the place of another',
    rule: publishedImmutable,
    edit: (data) => data.addBuild('8.4.25RC2'),
    finds: [],
  },
  {
    title: 'an audit entry is rewritten',
    rule: recordsKept,
    from: edited(replaced(corrected)),
    edit: (data) => (data.branch('8.4').audit[0]!.reason = 'no reason'),
    finds: ['error records-kept branches/8.4.json#/audit 8.4 audit'],
  },
  {
    title: 'a build leaves its slot and is forgotten',
    rule: recordsKept,
    edit: (data) => data.branch('8.4').pre_releases.pop(),
    finds: ['error records-kept branches/8.4.json#/retired_builds 8.4.25RC1'],
  },
  {
    title: 'a new release is declared imported to get round the rules',
    rule: recordsKept,
    edit: (data) => (data.branch('8.4').imported = '8.4.25'),
    finds: ['error records-kept branches/8.4.json#/imported 8.4 imported'],
  },
  {
    title: 'a slot without a build may just go',
    rule: recordsKept,
    edit: (data) => data.branch('8.2').pre_releases.pop(),
    finds: [],
  },
  {
    title: 'facts change and their date does not',
    rule: revisionRaised,
    edit: (data) => (data.branch('8.6').expected = '2026-11-19'),
    finds: ['error revision-raised branches/8.6.json#/updated branches/8.6.json 2026-08-13T00:00:00Z'],
  },
  {
    title: 'news that change while the file keeps its `updated`',
    rule: revisionRaised,
    edit: (data) => (data.catalogue.news[0]!.summary = 'Something else.'),
    finds: ['error revision-raised news.json#/updated news.json 2026-08-13T00:00:00Z'],
  },
  {
    title: 'a product that changes while its file keeps its `updated`',
    rule: revisionRaised,
    edit: (data) => Object.assign(data.catalogue, { product: { ...REAL.product, name: 'HPH' } }),
    finds: ['error revision-raised product.json#/updated product.json 2026-08-13T00:00:00Z'],
  },
  {
    title: 'facts change with their date',
    rule: revisionRaised,
    edit: (data) => {
      data.branch('8.6').expected = '2026-11-19';
      data.branch('8.6').updated = '2026-08-27T09:00:00Z';
    },
    finds: [],
  },
  {
    title: 'a support date that changes by hand',
    rule: supportRecorded,
    edit: (data) => (data.branch('8.4').overrides = { date: '2024-11-21', security: '2029-12-31' }),
    finds: ['error support-recorded branches/8.4.json#/overrides/security 8.4 /overrides/security'],
  },
  {
    title: 'support dates that come where there were none, and go',
    rule: supportRecorded,
    edit: (data) => {
      data.branch('8.2').overrides = { stable: '2025-01-01' };
      delete data.branch('8.4').overrides;
    },
    finds: [
      'error support-recorded branches/8.2.json#/overrides/stable 8.2 /overrides/stable',
      'error support-recorded branches/8.4.json#/overrides/date 8.4 /overrides/date',
    ],
  },
  {
    title: 'a support date that the command changes',
    rule: supportRecorded,
    edit: replaced(longer),
    finds: [],
  },
  {
    title: 'a record without a reason, and an old one, do not cover a support date',
    rule: supportRecorded,
    from: edited(replaced(longer)),
    edit: (data) => {
      data.branch('8.4').overrides!.security = '2031-12-31';
      const { at, action, version, changes } = data.branch('8.4').audit[0]!;
      data.branch('8.4').audit.push({ at, action, version, changes: changes! });
    },
    finds: ['error support-recorded branches/8.4.json#/overrides/security 8.4 /overrides/security'],
  },
  {
    title: 'a branch without a release is planned by hand',
    rule: supportRecorded,
    edit: (data) => (data.branch('8.6').overrides = { date: '2026-11-19' }),
    finds: [],
  },
  {
    title: 'retired builds are rewritten, and the audit is cut short',
    rule: recordsKept,
    from: edited((data) => {
      replaced(structuredClone(corrected))(data);
      data.branch('8.4').retired_builds = [{ version: '8.4.24RC1', sha256: [] }];
    }),
    edit: (data) => {
      data.branch('8.4').audit.pop();
      data.branch('8.4').retired_builds[0]!.version = '8.4.24RC2';
    },
    finds: [
      'error records-kept branches/8.4.json#/audit 8.4 audit',
      'error records-kept branches/8.4.json#/retired_builds 8.4 retired_builds',
    ],
  },
  {
    title: 'a build is retired, and what is recorded is added to',
    rule: recordsKept,
    edit: (data) => {
      data.addBuild('8.4.25RC2');
      data.promote('8.5.10');
    },
    finds: [],
  },
  {
    title: 'a correction without a reason, of another version or by another action covers nothing',
    rule: publishedImmutable,
    edit: (data) => {
      data.source('8.4.24').name = 'y';
      const changes = [{ pointer: '/published/source/0/name' }];
      const at = '2026-08-27T09:00:00Z';
      data
        .branch('8.4')
        .audit.push(
          { at, action: 'correct', version: '8.4.24', changes },
          { at, action: 'correct', version: '8.4.23', reason: 'x', changes },
          { at, action: 'promote', version: '8.4.24', reason: 'x', changes },
          { at, action: 'correct', version: '8.4.24', reason: 'x' },
        );
    },
    finds: [
      'error published-immutable branches/8.4.json#/current/published/source/0/name 8.4.24 /published/source/0/name',
    ],
  },
  {
    title: 'a slot without a build gets one',
    rule: publishedImmutable,
    edit: (data) => (data.build('8.2.27').release.baseurl = 'https://downloads.php.net/~x/'),
    finds: [],
  },
  {
    title: 'a release that comes out earlier than the last entry of another branch, in its second entry',
    rule: publicationOrder,
    from: edited((data) => {
      data.promote('8.4.25');
      data.promote('8.5.10');
    }),
    edit: (data) => {
      data.promote('8.5.11');
      data.promote('8.5.12');
      data.branch('8.5').audit.at(-1)!.at = '2026-08-27T08:00:00Z';
    },
    finds: ['warning publication-order branches/8.5.json#/audit/2 8.5.12 2026-08-27T08:00:00Z'],
  },
  {
    title: 'a release that comes out at the same time as the last of others',
    rule: publicationOrder,
    from: edited((data) => {
      data.promote('8.5.10');
      data.promote('8.4.25');
    }),
    edit: (data) => {
      data.promote('8.3.34');
      data.branch('8.3').audit[0]!.at = data.branch('8.4').audit[0]!.at;
    },
    finds: ['warning publication-order branches/8.3.json#/audit/0 8.3.34 2026-08-27T09:00:01Z'],
  },
  {
    title: 'facts that change under an earlier date',
    rule: revisionRaised,
    edit: (data) => {
      data.branch('8.6').expected = '2026-11-19';
      data.branch('8.6').updated = '2026-08-12T00:00:00Z';
    },
    finds: ['error revision-raised branches/8.6.json#/updated branches/8.6.json 2026-08-12T00:00:00Z'],
  },
  {
    title: 'a release of a branch that is new loses nothing',
    rule: releaseLost,
    from: edited(({ catalogue }) => catalogue.branches.pop()),
    edit: ({ catalogue }) => catalogue.branches.push(REAL.branches.at(-1)!),
    finds: [],
  },
];

describe('rules about changes', () => {
  it.each(cases)('$rule.name: $title', (ruleCase) => {
    expect(newViolations(ruleCase)).toEqual(ruleCase.finds);
  });
});

it.each([
  feedIdsKept,
  publicationOrder,
  publishedImmutable,
  recordsKept,
  releaseLost,
  revisionRaised,
  supportRecorded,
])('$name finds nothing without something to compare with', (rule) => {
  expect(rule(promoted, { now: NOW })).toEqual([]);
});
