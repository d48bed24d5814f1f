import { correct } from '../edits/correct.ts';
import { setSupport } from '../edits/set-support.ts';
import { yank } from '../edits/yank.ts';
import { edited, itFinds, NOW, REAL, type RuleRow } from '../testing/edited-catalogue.ts';
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
  (branch: (typeof REAL.branches)[number]): RuleRow[1] =>
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

describe('rules about changes', () => {
  itFinds(feedIdsKept, [
    [
      'an id that follows from an announcement that changes by hand',
      (data) => (data.release('8.4.24').published.announcement = false),
      'error feed-id branches/8.4.json#/current/feed 8.4.24 https://qa.php.net/#8.4.24',
    ],
    ['a correction of the announcement keeps the id', replaced(hidden)],
    [
      'an unannounced release keeps its id on its way into the history',
      (data) => data.promote('8.4.25'),
      [],
      unannounced,
    ],
    [
      'a release is known by when it came out',
      (data) => (data.release('8.4.25').feed!.published = '2026-08-28T00:00:00Z'),
      'error feed-id branches/8.4.json#/current/feed 8.4.25 http://php.net/releases/8_4_25.php',
      promoted,
    ],
    [
      'a release whose id follows from the version, but not when it came out',
      (data) => delete data.release('8.4.25').feed,
      'error feed-id branches/8.4.json#/current/feed 8.4.25 http://php.net/releases/8_4_25.php',
      promoted,
    ],
    [
      'the feed is known by its id',
      (data) => (data.catalogue.product.feed.id = 'https://php.example/'),
      'error feed-id product.json#/feed/id https://php.example/',
    ],
  ]);
  itFinds(publicationOrder, [
    [
      'a merge brings a release that was recorded before what readers have seen',
      (data) => {
        data.promote('8.5.10');
        data.branch('8.5').audit[0]!.at = '2026-08-27T08:00:00Z';
      },
      'warning publication-order branches/8.5.json#/audit/0 8.5.10 2026-08-27T08:00:00Z',
      promoted,
    ],
    ['two releases with an equal clock are in order', (data) => data.promote('8.5.10'), [], promoted],
    [
      'a release that comes out earlier than the last entry of another branch, in its second entry',
      (data) => {
        data.promote('8.5.11');
        data.promote('8.5.12');
        data.branch('8.5').audit.at(-1)!.at = '2026-08-27T08:00:00Z';
      },
      'warning publication-order branches/8.5.json#/audit/2 8.5.12 2026-08-27T08:00:00Z',
      edited((data) => {
        data.promote('8.4.25');
        data.promote('8.5.10');
      }),
    ],
    [
      'a release that comes out at the same time as the last of others',
      (data) => {
        data.promote('8.3.34');
        data.branch('8.3').audit[0]!.at = data.branch('8.4').audit[0]!.at;
      },
      'warning publication-order branches/8.3.json#/audit/0 8.3.34 2026-08-27T09:00:01Z',
      edited((data) => {
        data.promote('8.5.10');
        data.promote('8.4.25');
      }),
    ],
  ]);
  itFinds(releaseLost, [
    [
      'the release before is lost when the next one comes, as 7.3.14 and 8.0.3 were',
      (data) => {
        data.promote('8.4.25');
        data.branch('8.4').history.shift();
      },
      'error release-lost branches/8.4.json# 8.4.24',
    ],
    [
      'a branch is gone',
      (data) => data.catalogue.branches.shift(),
      'error release-lost branches/3.0.json# 3.0',
    ],
    ['a promotion loses nothing', (data) => data.promote('8.4.25')],
    [
      'a release of a branch that is new loses nothing',
      ({ catalogue }) => catalogue.branches.push(REAL.branches.at(-1)!),
      [],
      edited(({ catalogue }) => catalogue.branches.pop()),
    ],
  ]);
  itFinds(publishedImmutable, [
    [
      'a digest that changes by hand',
      (data) => (data.source('8.4.24').sha256 = 'f'.repeat(64)),
      'error published-immutable branches/8.4.json#/current/published/source/0/sha256 8.4.24 /published/source/0/sha256',
    ],
    [
      'a build that changes under its name',
      (data) => (data.build('8.4.25').release.sha256_gz = 'f'.repeat(64)),
      'error published-immutable branches/8.4.json#/pre_releases/0/release/sha256_gz 8.4.25RC1 /sha256_gz',
    ],
    [
      'a release that is withdrawn without a record',
      (data) => (data.release('8.4.24').yanked = { date: '2026-08-27', reason: 'broken' }),
      'error published-immutable branches/8.4.json#/current/yanked 8.4.24 /yanked',
    ],
    [
      'a correction of one member does not cover another',
      (data) => {
        replaced(structuredClone(corrected))(data);
        data.source('8.4.24').date = '31 Jul 2026';
      },
      'error published-immutable branches/8.4.json#/current/published/source/0/date 8.4.24 /published/source/0/date',
    ],
    [
      'an old correction does not cover a new change',
      (data) => (data.source('8.4.24').name = 'y'),
      'error published-immutable branches/8.4.json#/current/published/source/0/name 8.4.24 /published/source/0/name',
      edited(replaced(corrected)),
    ],
    ['a recorded correction is fine', replaced(corrected)],
    [
      'a recorded withdrawal is fine',
      replaced(yank(REAL, { version: '8.4.24', date: NOW, reason: 'broken' }, NOW)),
    ],
    ['going into the history changes only what php.net changes', (data) => data.promote('8.4.25')],
    ['a build takes the place of another', (data) => data.addBuild('8.4.25RC2')],
    [
      'a correction without a reason, of another version or by another action covers nothing',
      (data) => {
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
      'error published-immutable branches/8.4.json#/current/published/source/0/name 8.4.24 /published/source/0/name',
    ],
    [
      'a slot without a build gets one',
      (data) => (data.build('8.2.27').release.baseurl = 'https://downloads.php.net/~x/'),
    ],
  ]);
  itFinds(recordsKept, [
    [
      'an audit entry is rewritten',
      (data) => (data.branch('8.4').audit[0]!.reason = 'no reason'),
      'error records-kept branches/8.4.json#/audit 8.4 audit',
      edited(replaced(corrected)),
    ],
    [
      'a build leaves its slot and is forgotten',
      (data) => data.branch('8.4').pre_releases.pop(),
      'error records-kept branches/8.4.json#/retired_builds 8.4.25RC1',
    ],
    [
      'a new release is declared imported to get round the rules',
      (data) => (data.branch('8.4').imported = '8.4.25'),
      'error records-kept branches/8.4.json#/imported 8.4 imported',
    ],
    ['a slot without a build may just go', (data) => data.branch('8.2').pre_releases.pop()],
    [
      'retired builds are rewritten, and the audit is cut short',
      (data) => {
        data.branch('8.4').audit.pop();
        data.branch('8.4').retired_builds[0]!.version = '8.4.24RC2';
      },
      [
        'error records-kept branches/8.4.json#/audit 8.4 audit',
        'error records-kept branches/8.4.json#/retired_builds 8.4 retired_builds',
      ],
      edited((data) => {
        replaced(structuredClone(corrected))(data);
        data.branch('8.4').retired_builds = [{ version: '8.4.24RC1', sha256: [] }];
      }),
    ],
    [
      'a build is retired, and what is recorded is added to',
      (data) => {
        data.addBuild('8.4.25RC2');
        data.promote('8.5.10');
      },
    ],
  ]);
  itFinds(revisionRaised, [
    [
      'facts change and their date does not',
      (data) => (data.branch('8.6').expected = '2026-11-19'),
      'error revision-raised branches/8.6.json#/updated branches/8.6.json 2026-08-13T00:00:00Z',
    ],
    [
      'news that change while the file keeps its `updated`',
      (data) => (data.catalogue.news[0]!.summary = 'Something else.'),
      'error revision-raised news.json#/updated news.json 2026-08-13T00:00:00Z',
    ],
    [
      'a product that changes while its file keeps its `updated`',
      (data) => Object.assign(data.catalogue, { product: { ...REAL.product, name: 'HPH' } }),
      'error revision-raised product.json#/updated product.json 2026-08-13T00:00:00Z',
    ],
    [
      'facts change with their date',
      (data) => {
        data.branch('8.6').expected = '2026-11-19';
        data.branch('8.6').updated = '2026-08-27T09:00:00Z';
      },
    ],
    [
      'facts that change under an earlier date',
      (data) => {
        data.branch('8.6').expected = '2026-11-19';
        data.branch('8.6').updated = '2026-08-12T00:00:00Z';
      },
      'error revision-raised branches/8.6.json#/updated branches/8.6.json 2026-08-12T00:00:00Z',
    ],
  ]);
  itFinds(supportRecorded, [
    [
      'a support date that changes by hand',
      (data) => (data.branch('8.4').overrides = { date: '2024-11-21', security: '2029-12-31' }),
      'error support-recorded branches/8.4.json#/overrides/security 8.4 /overrides/security',
    ],
    [
      'support dates that come where there were none, and go',
      (data) => {
        data.branch('8.2').overrides = { stable: '2025-01-01' };
        delete data.branch('8.4').overrides;
      },
      [
        'error support-recorded branches/8.2.json#/overrides/stable 8.2 /overrides/stable',
        'error support-recorded branches/8.4.json#/overrides/date 8.4 /overrides/date',
      ],
    ],
    ['a support date that the command changes', replaced(longer)],
    [
      'a record without a reason, and an old one, do not cover a support date',
      (data) => {
        data.branch('8.4').overrides!.security = '2031-12-31';
        const { at, action, version, changes } = data.branch('8.4').audit[0]!;
        data.branch('8.4').audit.push({ at, action, version, changes: changes! });
      },
      'error support-recorded branches/8.4.json#/overrides/security 8.4 /overrides/security',
      edited(replaced(longer)),
    ],
    [
      'a branch without a release is planned by hand',
      (data) => (data.branch('8.6').overrides = { date: '2026-11-19' }),
    ],
  ]);
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
  expect([...rule(promoted, { now: NOW })]).toEqual([]);
});
