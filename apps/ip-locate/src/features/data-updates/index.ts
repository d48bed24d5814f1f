import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAddress } from '@workspace/ip-addresses';
import {
  type ArgumentOptions,
  type ArgumentValues,
  type DataOption,
  type DataOptionContext,
  type Examine,
  isHttpUrl,
  UpdateFailed,
} from '../../cli/data-option.ts';
import { type ProgressLine, progressLine } from '../../cli/progress.ts';
import { type Terminal, UsageError } from '../../cli/terminal.ts';
import { fetchLists } from './compiled-lists.ts';
import { DatabasePlace } from './database-place.ts';
import type { RetryOptions } from './download.ts';
import { fetchOffer, type Offer } from './offers.ts';
import { dbIpOffers, maxMindOffers } from './sources.ts';
import { updateDatabase, type UpdateDeps, type UpdateResult } from './update-database.ts';
import { verifyDatabase } from './verification.ts';

/** Databases that updates can keep, with MaxMind's edition of each. */
const EDITIONS = { city: 'GeoLite2-City', asn: 'GeoLite2-ASN' };

const databasesOf = (all: readonly DataOption[]) => all.flatMap(({ database }) => database ?? []);

const editionsOf = (all: readonly DataOption[]): Readonly<Record<string, string>> => ({
  ...EDITIONS,
  ...Object.fromEntries(databasesOf(all).map(({ name, edition }) => [name, edition])),
});

const listed = (names: readonly string[]): string =>
  new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(names);

const helpOf = (all: readonly DataOption[]): string => {
  const editions = Object.entries(editionsOf(all));
  const names = editions.map(([name]) => name);
  const row = (left: string, right = ''): string =>
    (left.length > 22 ? `  ${left}\n${' '.repeat(25)}${right}` : `  ${left.padEnd(23)}${right}`).trimEnd();
  const rows = [
    row('--folder FOLDER', 'where the databases are'),
    row('--databases LIST', `some of ${listed(names)} (default city,asn)`),
    row('--source SOURCE', 'dbip     DB-IP Lite: monthly, free, no account (default)'),
    `${' '.repeat(25)}maxmind  GeoLite2 or GeoIP2: MAXMIND_ACCOUNT_ID and MAXMIND_LICENSE_KEY, or MAXMIND_LICENSE_KEY_FILE, in the environment`,
    `${' '.repeat(25)}url      the files at ${listed(names.map((name) => `--${name}-url`))}`,
    ...databasesOf(all).map(({ help }) => help),
    ...names.map((name, at) => row(`--${name}-url URL`, at === 0 ? '.mmdb, .mmdb.gz or .tar.gz' : '')),
    ...names.map((name, at) =>
      row(`--${name}-sha256 SUM`, at === 0 ? `SHA-256 of the file at --${name}-url, in hexadecimal` : ''),
    ),
    ...editions.map(([name, edition], at) =>
      row(`--${name}-edition NAME`, `${at === 0 ? "MaxMind's edition " : ''}(default ${edition})`),
    ),
    row('--mirror URL', "a server with the same paths as DB-IP's or MaxMind's"),
    row(
      '--known-address IP',
      'an address that the new city.mmdb and asn.mmdb must have an entry for (default 8.8.8.8)',
    ),
    row('--version', 'print the version'),
    row('-h, --help', 'print this'),
  ];
  return `Usage: ip-locate-data update --folder FOLDER [options]

Downloads newer databases into FOLDER: ${listed(names.map((name) => `${name}.mmdb`))}. A new file replaces the old one only if it is complete, passes the service's own verification and is not older. A running service loads it within a minute.

${rows.join('\n')}

Examples:
  ip-locate-data update --folder /var/lib/ip-locate
  ip-locate-data update --folder data --databases city --source url \\
    --city-url https://mirror.example/city.mmdb.gz
${databasesOf(all)
  .map(({ example }) => `${example}\n`)
  .join('')}  source <(ip-locate-data completions bash)     completions; also zsh, fish
`;
};

const optionsOf = (all: readonly DataOption[]): ArgumentOptions => ({
  folder: { type: 'string' },
  databases: { type: 'string', default: 'city,asn' },
  source: { type: 'string', default: 'dbip' },
  ...(Object.assign({}, ...databasesOf(all).map(({ options }) => options)) as ArgumentOptions),
  ...Object.fromEntries(
    Object.entries(editionsOf(all)).flatMap(([name, edition]) => [
      [`${name}-url`, { type: 'string' }],
      [`${name}-sha256`, { type: 'string' }],
      [`${name}-edition`, { type: 'string', default: edition }],
    ]),
  ),
  mirror: { type: 'string' },
  'known-address': { type: 'string', default: '8.8.8.8' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  ...(Object.assign({}, ...all.map(({ update: examined }) => examined?.options)) as ArgumentOptions),
});

type Values = Readonly<Record<string, string | undefined>>;

/** @param retry how downloads that break off are tried again */
export const createDataUpdates = (retry?: RetryOptions): DataOption => ({
  name: 'data-updates',
  help: helpOf,
  command: {
    name: 'update',
    options: optionsOf,
    run: (positionals, values, context) => {
      if (positionals.length > 0) throw new UsageError(`"update ${positionals.join(' ')}" is not a command.`);
      return update(values, context, retry);
    },
  },
});

/** Newer databases, downloaded and verified. */
export const dataUpdates = createDataUpdates();

const update = async (
  given: ArgumentValues,
  context: DataOptionContext,
  retry: RetryOptions | undefined,
): Promise<0 | 1 | 3> => {
  const values = given as Values;
  const { folder, 'known-address': known = '' } = values;
  if (folder === undefined) throw new UsageError('--folder is missing.');
  const names = databaseNames(values, context.options);
  // All of the command line is checked before the first download.
  const plans = await Promise.all(
    names.map(async (name) => {
      const lists = databasesOf(context.options)
        .find((one) => one.name === name)
        ?.listsOf(given);
      return { name, lists, offers: lists ? [] : await offersOf(name, values, context) };
    }),
  );
  if (!parseAddress(known)) throw new UsageError('--known-address is not an address.');
  const examinations = await Promise.all(
    context.options.map((option) => option.update?.examine(given, context)),
  );
  const { terminal, now, options } = context;
  const results: Result[] = [];
  for (const { name, lists, offers } of plans) {
    const place = new DatabasePlace(join(folder, `${name}.mmdb`));
    const line = progressLine(name, terminal.progress, ['MB', 1e6]);
    const deps: UpdateDeps = {
      fetch: () =>
        lists
          ? fetchLists(lists, place, line.update, { now, retry })
          : fetchOffer(offers, place, line.update, retry),
      verify: (file) => verifyDatabase(name, file, known, options),
      examine: examineAll(examinations, name, place.path),
      now,
    };
    results.push(await updateOne(place, deps, line, terminal));
  }
  if (results.includes('failed')) return 1;
  return results.includes('waiting') ? 3 : 0;
};

/** The first reason that an option has for a file to wait. */
const examineAll =
  (examinations: readonly (Examine | undefined)[], name: string, path: string) =>
  async (candidate: string): Promise<string | undefined> => {
    for (const examine of examinations) {
      const reason = await examine?.({ name, path, candidate });
      if (reason !== undefined) return reason;
    }
    return undefined;
  };

type Result = UpdateResult['outcome'] | 'failed';

const updateOne = async (
  place: DatabasePlace,
  deps: UpdateDeps,
  line: ProgressLine,
  terminal: Terminal,
): Promise<Result> => {
  const { path } = place;
  let result: UpdateResult;
  try {
    result = await updateDatabase(place, deps).finally(() => line.end());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!(error instanceof UpdateFailed) && code === undefined) throw error;
    terminal.note(`${path}: not updated: ${(error as Error).message}`);
    return 'failed';
  }
  const { outcome, builtAt, waiting } = result;
  if (waiting) {
    const { file, reason } = waiting;
    terminal.note(
      `${path}: not updated: ${reason}. To see what changes: ip-locate-data diff ${path} ${file}; to install it: mv ${file} ${path}`,
    );
    return outcome;
  }
  const date = builtAt ? `of ${builtAt.toISOString().slice(0, 10)}` : 'without a date';
  await terminal.out(`${path}: ${outcome === 'updated' ? 'updated' : 'already current'}, data ${date}`);
  return outcome;
};

const databaseNames = ({ databases = '' }: Values, all: readonly DataOption[]): string[] => {
  const known = Object.keys(editionsOf(all));
  const names = databases.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !known.includes(name));
  if (wrong !== undefined)
    throw new UsageError(`--databases must be some of ${listed(known)}, not "${wrong}".`);
  return [...new Set(names)];
};

const offersOf = async (
  name: string,
  values: Values,
  { env, now, options }: DataOptionContext,
): Promise<Offer[]> => {
  const { source, mirror } = values;
  for (const url of [mirror, ...Object.keys(editionsOf(options)).map((one) => values[`${one}-url`])]) {
    if (url !== undefined && !isHttpUrl(url)) throw new UsageError(`"${url}" is not an HTTP address.`);
  }
  switch (source) {
    case 'dbip':
      if (name !== 'city' && name !== 'asn') throw new UsageError(`DB-IP has no ${name}.mmdb: add --list.`);
      return dbIpOffers(name, now, mirror);
    case 'maxmind': {
      const accountId = env['MAXMIND_ACCOUNT_ID'];
      const licenseKey = env['MAXMIND_LICENSE_KEY'] || (await keyIn(env['MAXMIND_LICENSE_KEY_FILE']));
      if (!accountId || !licenseKey) {
        throw new UsageError(
          '--source maxmind needs MAXMIND_ACCOUNT_ID and MAXMIND_LICENSE_KEY or MAXMIND_LICENSE_KEY_FILE in the environment.',
        );
      }
      return maxMindOffers(values[`${name}-edition`] ?? '', { accountId, licenseKey }, mirror);
    }
    case 'url': {
      const url = values[`${name}-url`];
      const sha256 = values[`${name}-sha256`]?.toLowerCase();
      if (url === undefined) throw new UsageError(`--${name}-url is missing.`);
      if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256)) {
        throw new UsageError(`--${name}-sha256 is not a SHA-256 in hexadecimal.`);
      }
      return [{ url, ...(sha256 !== undefined && { sha256 }) }];
    }
    default:
      throw new UsageError(`--source must be dbip, maxmind or url, not "${source}".`);
  }
};

/** @throws UsageError when the file cannot be read */
const keyIn = async (file: string | undefined): Promise<string | undefined> => {
  if (!file) return undefined;
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`MAXMIND_LICENSE_KEY_FILE: ${file} cannot be read (${error.code}).`);
  });
  return text.trim();
};
