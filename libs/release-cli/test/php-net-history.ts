import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { branchOf, compareVersions, longDateText, type PreRelease } from '@workspace/release-catalogue';
import type { DataCopy, PhpTables } from '@workspace/release-catalogue/testing';
import { publishRelease, retireBranch } from './php-site.ts';

/** One change of php.net's tables: `release 8.4.13 25-Sep-2025 security`, `slot 8.4.14 RC 1 ~saki/`, `retire 8.1`. */
export type PhpNetEvent = readonly [what: string, version: string, ...rest: string[]];

/** Changes that php.net published at once. */
export interface PhpNetStep {
  readonly at: Date;
  readonly events: readonly PhpNetEvent[];
}

const read = (name: string): string[] =>
  readFileSync(join(import.meta.dirname, '../e2e', name), 'utf8')
    .trim()
    .split('\n');

/**
 * What php.net published from September 2025 to August 2026: one line per change of its tables, as its repository records
 * them. Digests are made up.
 */
export const phpNetHistory = (): PhpNetStep[] =>
  read('php-net-history.txt').map((line) => {
    const [at = '', events = ''] = line.split(': ');
    return {
      at: new Date(at),
      events: events.split(', ').map((event) => event.split(' ') as unknown as PhpNetEvent),
    };
  });

/** How long after a change what follows from it is looked at. */
export const AFTER_MS = 1_800_000;

/** What php.net answered at an instant, of major version 8. */
export interface PhpNetAnswers {
  readonly at: Date;
  /** branches.php and states.php, newest first: version, state, and three days */
  readonly branches: Readonly<
    Record<
      string,
      readonly [latest: string, state: string, initial: string, active: string, security: string]
    >
  >;
  /** active.php: the versions, ascending */
  readonly active: readonly string[];
  /** `supported_versions` of index.php */
  readonly supported: readonly string[];
  /** feed.php: versions and days, in order */
  readonly feed: readonly (readonly [version: string, updated: string, ...tags: string[]])[];
}

/** Those that record-php-net.ts wrote: after each change, and before and after the clock alone changed an answer. */
export const phpNetAnswers = (): PhpNetAnswers[] => {
  let last = {};
  return read('php-net-answers.ndjson').map((line) => {
    last = { ...last, ...(JSON.parse(line) as object) };
    const answers = last as Omit<PhpNetAnswers, 'at'> & { at: string };
    return { ...answers, at: new Date(answers.at) };
  });
};

/** php.net's tables before the first change, of major version 8 only. */
export const tablesAtStart = (data: DataCopy): PhpTables => {
  const { current, old, overrides } = data.phpTables();
  const all = { ...current['8'], ...old['8'] };
  const offered = ['8.4.12', '8.3.25', '8.2.29', '8.1.33'];
  const isPast = ([version, { date }]: [string, { date: string }]) =>
    new Date(`${date} UTC`) < new Date('2025-09-01') && !offered.includes(version);
  const slots: [string, PreRelease['release']][] = [
    ...['8.1.27', '8.2.27', '8.3.25', '8.4.12'].map((version): [string, PreRelease['release']] => [
      version,
      { type: 'RC', number: 0 },
    ]),
    ['8.5.0', build('8.5.0', 'beta', 2, '~daniels/', new Date('2025-08-28'))],
  ];
  return {
    current: {
      '8': Object.fromEntries(
        offered.map((version) => {
          const { museum: _, ...release } = all[version]!;
          return [version, { ...release, announcement: true }];
        }),
      ),
    },
    old: { '8': Object.fromEntries(Object.entries(all).filter(isPast)) },
    overrides: { '8.4': overrides['8.4']! },
    qa: Object.fromEntries(slots.map(([version, release]) => [version, { active: true, release }])),
  };
};

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The digests of a release (`8.4.13`) or build (`8.4.13RC1`), by archive. */
export const digestsOf = (version: string): Record<'gz' | 'bz2' | 'xz', string> => ({
  gz: digest(`${version}.gz`),
  bz2: digest(`${version}.bz2`),
  xz: digest(`${version}.xz`),
});

const build = (
  version: string,
  type: string,
  number: number,
  folder: string,
  day: Date,
): PreRelease['release'] => {
  const { bz2, gz, xz } = digestsOf(`${version}${type}${number}`);
  return {
    type: type as 'RC',
    number,
    ...(number > 0 && { sha256_bz2: bz2, sha256_gz: gz, sha256_xz: xz }),
    date: longDateText(day),
    baseurl: `https://downloads.php.net/${folder}`,
  };
};

/** The tags of a release, from what follows its version in the history. php.net writes an empty one now and then: `""`. */
export const tagsOf = ([_day, ...tags]: readonly string[]): string[] =>
  tags.map((tag) => (tag === '""' ? '' : tag));

/** Makes one change of php.net's tables. */
export const applyEvent = (tables: PhpTables, [what, version, ...rest]: PhpNetEvent, at: Date): void => {
  const slots = tables.qa;
  if (what === 'release') {
    publishRelease(tables, version, {
      date: rest[0]!.replaceAll('-', ' '),
      tags: tagsOf(rest),
      digests: Object.values(digestsOf(version)),
    });
  } else if (what === 'retire') retireBranch(tables, version);
  else if (what === 'slot') {
    const [type = '', number, folder = ''] = rest;
    const before = slots[version]?.release as PreRelease['release'] | undefined;
    const release = build(version, type, Number(number), folder, at);
    // Of a build that is there already only the folder is corrected.
    const isKnown = before?.type === release.type && before.number === release.number;
    slots[version] = { active: true, release: { ...release, ...(isKnown && { date: before.date! }) } };
  } else delete slots[version];
};

/**
 * What the feed says of releases, highest version first as php.net has them: version, day, and tags. Empty tags are left out, as
 * release-web does.
 */
export const feedEntries = (xml: string): [string, string, ...string[]][] =>
  (xml.match(/<entry>.*?<\/entry>/gs) ?? [])
    .flatMap((entry) => {
      const inside = (name: string): string[] =>
        [...entry.matchAll(new RegExp(`<${name}>(.+?)</${name}>`, 'g'))].map(([, found]) => found!);
      return inside('php:version').map((version): [string, string, ...string[]] => [
        version,
        inside('php:releaseDate').sort().at(-1)!.slice(0, 10),
        ...inside('php:tag'),
      ]);
    })
    .sort(([a], [b]) => compareVersions(b, a));

/** The answers of php.net's paths that depend on its clock, as JSON; the feed without releases of unsupported branches. */
export const clockAnswers = (tables: PhpTables, answers: PhpNetAnswers): Record<string, unknown> => {
  const midnight = (day: string): string => `${day}T00:00:00+00:00`;
  const states = Object.entries(answers.branches).map(
    ([branch, [latest, state, initial, active, security]]) => ({
      branch,
      latest,
      life: {
        state,
        initial_release: midnight(initial),
        active_support_end: midnight(active),
        security_support_end: midnight(security),
      },
    }),
  );
  const current = answers.active.map((version) => [
    branchOf(version),
    { ...tables.current['8']![version], version },
  ]);
  return {
    '/releases/branches.php': states.map(({ branch, latest, life }) => ({ branch, latest, ...life })),
    '/releases/states.php': { 8: Object.fromEntries(states.map(({ branch, life }) => [branch, life])) },
    '/releases/active.php': current.length === 0 ? [] : { 8: Object.fromEntries(current) },
    supported_versions: answers.supported,
    '/releases/feed.php': answers.feed.filter(([version]) => answers.supported.includes(branchOf(version))),
  };
};
