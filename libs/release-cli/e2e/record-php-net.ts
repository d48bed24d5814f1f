// npx nx record release-cli --clone=<folder>: what php.net answered after each step of php-net-history.txt, and when its
// clock alone changed its answers: by its own code of that time, run by PHP with a fake clock. Written to
// php-net-answers.ndjson, each line with what differs from the one before.
//   --clone=<folder>  a clone of https://github.com/php/web-php with its history; default: WEB_PHP_CLONE
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { DataCopy, type PhpTables } from '@workspace/release-catalogue/testing';
import { type PhpNet, phpNetCommit, startPhpNet } from '@workspace/testing';
import {
  AFTER_MS,
  applyEvent,
  feedEntries,
  phpNetHistory,
  type PhpNetAnswers,
  tablesAtStart,
} from '../test/php-net-history.ts';

const { values } = parseArgs({
  options: { clone: { type: 'string', default: process.env['WEB_PHP_CLONE'] ?? '' } },
});
const { clone } = values;
if (clone === '') {
  process.stderr.write(
    'Name a clone of https://github.com/php/web-php: --clone=<folder>, or WEB_PHP_CLONE.\n',
  );
  process.exit(2);
}

const DAY = 86_400_000;
const isOfMajor8 = ([version]: readonly [string, unknown]): boolean => version.startsWith('8');
const day = (text: string | null): string => String(text).slice(0, 10);

interface State {
  readonly state: string;
  readonly initial_release: string;
  readonly active_support_end: string;
  readonly security_support_end: string;
}
const stateRow = (of: State) =>
  [of.state, day(of.initial_release), day(of.active_support_end), day(of.security_support_end)] as const;

const answersOf = async ({ url }: PhpNet): Promise<Omit<PhpNetAnswers, 'at'>> => {
  const text = async (path: string): Promise<string> => {
    const answer = await fetch(`${url}${path}`);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.text();
  };
  const json = async <T>(path: string): Promise<T> => JSON.parse(await text(path)) as T;
  const list = await json<(State & { branch: string; latest: string })[]>('/releases/branches.php');
  const states = await json<Record<string, Record<string, State>>>('/releases/states.php');
  const branches = list
    .filter(({ branch }) => branch.startsWith('8'))
    .map((of) => [of.branch, [of.latest, ...stateRow(of)]] as const);
  const stated = Object.entries(states['8']!).map(([branch, of]) => [branch, stateRow(of)]);
  if (
    !isDeepStrictEqual(
      stated,
      branches.map(([branch, [, ...row]]) => [branch, row]),
    )
  )
    throw new Error('branches.php and states.php differ');
  const active = await json<Record<string, Record<string, { version: string }>>>('/releases/active.php');
  const index = await json<Record<string, { supported_versions: string[] }>>('/releases/index.php?json');
  return {
    branches: Object.fromEntries(branches),
    active: Object.values(active['8'] ?? {}).map(({ version }) => version),
    supported: index['8']!.supported_versions,
    feed: feedEntries(await text('/releases/feed.php')),
  };
};

let mismatches = 0;
/** Compares php.net's tables of a commit with those of the history. */
const check = async (phpNet: PhpNet, tables: PhpTables, at: Date): Promise<void> => {
  const theirs = await phpNet.tables();
  const summary = ({ current, old, qa }: PhpTables) => ({
    current: Object.entries(current['8']!).map(([version, { date, tags }]) => [version, date, tags]),
    old: Object.keys(old['8']!),
    slots: Object.entries(qa)
      .filter(isOfMajor8)
      .map(([version, { release }]) => `${version}${release.type}${release.number} ${release.baseurl ?? ''}`)
      // Of those without a build, not everything is in the history.
      .filter((slot) => !/[A-Za-z]0 /.test(slot))
      .sort(),
  });
  const found = summary(theirs as PhpTables);
  const expected = summary(tables);
  for (const [table, there] of Object.entries(found)) {
    const here = expected[table as keyof typeof expected];
    if (isDeepStrictEqual(there, here)) continue;
    mismatches += 1;
    const [theirs, ours] = [there, here].map((rows) => rows.map((row) => JSON.stringify(row)));
    process.stderr.write(
      `${at.toISOString()} ${table}: php.net has ${theirs!.filter((row) => !ours!.includes(row)).join()}, the history ${ours!.filter((row) => !theirs!.includes(row)).join()}\n`,
    );
  }
};

const data = new DataCopy();
const tables = tablesAtStart(data);
data.remove();
const steps = phpNetHistory();
const lines: string[] = [];
let last: Partial<PhpNetAnswers> = {};
const write = (at: Date, answers: Omit<PhpNetAnswers, 'at'>): void => {
  const changed = Object.entries(answers).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(last[name as keyof PhpNetAnswers]),
  );
  lines.push(JSON.stringify({ at: at.toISOString(), ...Object.fromEntries(changed) }));
  last = { ...answers };
};
for (const [index, { at, events }] of steps.entries()) {
  events.forEach((event) => applyEvent(tables, event, at));
  const now = new Date(at.getTime() + AFTER_MS);
  const phpNet = await startPhpNet(clone, phpNetCommit(clone, new Date(at.getTime() + 59_000)), now);
  try {
    await check(phpNet, tables, at);
    const answers = await answersOf(phpNet);
    write(now, answers);
    process.stdout.write(`${lines.at(-1)!.slice(0, 120)}\n`);
    const next = steps[index + 1]?.at.getTime() ?? Infinity;
    const days = Object.values(answers.branches).flatMap(([, , ...dates]) =>
      dates.map((date) => Date.parse(date)),
    );
    const moments = [...new Set(days.flatMap((time) => [time, time + 28 * DAY]))]
      .flatMap((time) => [time - 1000, time])
      .filter((time) => time > now.getTime() && time < next)
      .sort((a, b) => a - b);
    for (const moment of moments) {
      phpNet.setClock(new Date(moment));
      write(new Date(moment), await answersOf(phpNet));
      process.stdout.write(`${lines.at(-1)!.slice(0, 120)}\n`);
    }
  } finally {
    await phpNet.close();
  }
}
writeFileSync(join(import.meta.dirname, 'php-net-answers.ndjson'), `${lines.join('\n')}\n`);
if (mismatches > 0) process.exitCode = 1;
