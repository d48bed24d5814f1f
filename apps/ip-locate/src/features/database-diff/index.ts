import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UnusableFiles } from '@workspace/service-process';
import {
  type ArgumentValues,
  type DataOption,
  type DataOptionContext,
  type Examine,
  UpdateFailed,
} from '../../cli/data-option.ts';
import { oneOf, UsageError } from '../../cli/terminal.ts';
import { diff } from './diff.ts';
import { CSV_HEADER, csvRow, jsonLine } from './rows.ts';
import { readRules } from './rules.ts';
import { percent } from './totals.ts';

const HELP = `ip-locate-data diff OLD NEW [options] shows what another version of the data changes. OLD and NEW are a file, or several separated by commas: city.mmdb,asn.mmdb.

  --rules FILES          also shows where these access rules decide otherwise; lists that they name follow, after commas
  --format FORMAT        text     totals (default)
                         csv      the networks
                         jsonl    the same as lines of JSON

update --max-change does not install a city.mmdb or asn.mmdb that changes more, and keeps it beside the one in use:

  --max-change SHARE     of the IPv4 addresses, and of the IPv6 /48s, whose country, region or operator differs: 2%
  --max-rule-change SHARE
                         of those about which the rules in --rules decide otherwise`;

/** Rows that are written at once. */
const ROWS = 1_000;

const filesIn = (text: string): string[] => text.split(',').map((name) => name.trim());

const rulesIn = ({ rules }: ArgumentValues): string[] | undefined =>
  typeof rules === 'string' ? filesIn(rules) : undefined;

const runDiff = async (
  [old, now, ...more]: readonly string[],
  values: ArgumentValues,
  context: DataOptionContext,
): Promise<0> => {
  if (old === undefined || now === undefined || more.length > 0)
    throw new UsageError('diff needs two versions: OLD and NEW.');
  const format = oneOf('--format', String(values['format']), ['text', 'csv', 'jsonl']);
  const rowOf = { text: undefined, csv: csvRow, jsonl: jsonLine }[format];
  const rows = format === 'csv' ? [CSV_HEADER] : [];
  const write = async (atLeast: number): Promise<void> => {
    if (rows.length >= atLeast) await context.terminal.out(rows.splice(0).join('\n'));
  };
  const rules = rulesIn(values);
  const totals = await diff({ old: filesIn(old), now: filesIn(now) }, rules, context, (...difference) => {
    if (!rowOf) return;
    rows.push(rowOf(...difference));
    return write(ROWS);
  });
  await write(1);
  const lines = [
    ...totals.lines('moved', 'move'),
    ...(rules ? totals.lines('decided', 'are decided otherwise') : []),
  ];
  const tables = [...totals.pairs.lines('Countries:'), ...totals.decisions.lines('Decisions:')];
  if (rowOf) lines.forEach((line) => context.terminal.note(line));
  else await context.terminal.out([...lines, ...tables].join('\n'));
  return 0;
};

/** @throws UsageError when it is not a share */
const shareOf = (values: ArgumentValues, name: string): number | undefined => {
  const text = values[name];
  if (text === undefined) return undefined;
  const [, digits] = /^(\d{1,3}(?:\.\d{1,6})?)%$/.exec(String(text)) ?? [];
  if (digits === undefined || Number(digits) > 100)
    throw new UsageError(`--${name} is a share such as 2%, not "${String(text)}".`);
  return Number(digits) / 100;
};

const examiner = async (values: ArgumentValues, context: DataOptionContext): Promise<Examine | undefined> => {
  const limits = { moved: shareOf(values, 'max-change'), decided: shareOf(values, 'max-rule-change') };
  const rules = rulesIn(values);
  if (limits.decided !== undefined && !rules) throw new UsageError('--max-rule-change needs --rules.');
  if (rules && limits.decided === undefined) throw new UsageError('--rules needs --max-rule-change.');
  if (limits.moved === undefined && limits.decided === undefined) return undefined;
  // Before the first download.
  if (rules) await readRules(rules, ['location', 'operator']);
  return async ({ name, path, candidate }) => {
    if ((name !== 'city' && name !== 'asn') || !existsSync(path)) return undefined;
    // Rules may need the other database, which stays as it is.
    const other = join(dirname(path), name === 'city' ? 'asn.mmdb' : 'city.mmdb');
    const beside = rules && existsSync(other) ? [other] : [];
    try {
      const totals = await diff({ old: [path, ...beside], now: [candidate, ...beside] }, rules, context);
      return (
        excess('of the addresses move', totals.share('moved'), limits.moved) ??
        excess('of the addresses are decided otherwise', totals.share('decided'), limits.decided)
      );
    } catch (cause) {
      // The one in place may be damaged: the new one is to replace it.
      if (cause instanceof UnusableFiles) return undefined;
      if (cause instanceof UsageError) throw new UpdateFailed(cause.message, { cause });
      throw cause;
    }
  };
};

const excess = (what: string, share: number, limit: number | undefined): string | undefined =>
  limit !== undefined && share > limit ? `${percent(share)} ${what}, more than ${percent(limit)}` : undefined;

/** What another version of the data would change, before it does. */
export const databaseDiff: DataOption = {
  name: 'database-diff',
  help: () => HELP,
  command: {
    name: 'diff',
    options: () => ({ rules: { type: 'string' }, format: { type: 'string', default: 'text' } }),
    run: runDiff,
  },
  update: {
    options: {
      'max-change': { type: 'string' },
      'max-rule-change': { type: 'string' },
      rules: { type: 'string' },
    },
    examine: examiner,
  },
};
