import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseAddress } from '@workspace/ip-addresses';
import { UnusableFiles } from '@workspace/service-kit';
import { completions, isShell, SHELLS } from '@workspace/shell-completions';
import { databaseFile, type DatabaseFileOptions } from '../adapters/download/database-file.ts';
import { type DatabaseName, dbIpOffers, maxMindOffers } from '../adapters/download/sources.ts';
import { openAsnDatabase } from '../adapters/mmdb/asn-database.ts';
import { openCityDatabase } from '../adapters/mmdb/city-database.ts';
import { kindOf } from '../adapters/mmdb/database-kind.ts';
import { openMmdb } from '../adapters/mmdb/mmdb-file.ts';
import type { DatabaseInfo } from '../application/location-database.ts';
import { type Offer, updateDatabase, UpdateFailed } from '../application/update-database.ts';
import { UNKNOWN_OPERATOR } from '../domain/location.ts';
import { progressLine } from './progress.ts';
import { type Terminal, UsageError } from './terminal.ts';

export interface DataCommandContext {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: Date;
  readonly version: string;
  readonly retry?: DatabaseFileOptions['retry'];
}

const USAGE = `Usage: ip-locate-data update --folder FOLDER [options]

Downloads newer databases into FOLDER: city.mmdb and asn.mmdb. A file takes the place of the one before only after it has been
downloaded whole, verified as the service verifies it, and found not to be older. A running service loads it within a minute.

  --folder FOLDER        where the databases are
  --databases LIST       city, asn, or city,asn (default)
  --source SOURCE        dbip     DB-IP Lite: monthly, free, no account (default)
                         maxmind  GeoLite2 or GeoIP2: MAXMIND_ACCOUNT_ID and MAXMIND_LICENSE_KEY, or MAXMIND_LICENSE_KEY_FILE,
                                  in the environment
                         url      the files at --city-url and --asn-url
  --city-url URL         .mmdb, .mmdb.gz or .tar.gz
  --asn-url URL
  --city-sha256 SUM      SHA-256 of the file at --city-url, in hexadecimal
  --asn-sha256 SUM
  --city-edition NAME    MaxMind's edition (default GeoLite2-City)
  --asn-edition NAME     (default GeoLite2-ASN)
  --mirror URL           a server with the same paths as DB-IP's or MaxMind's
  --known-address IP     an address that the new file must have a record for (default 8.8.8.8)
  --version              print the version
  -h, --help             print this

Examples:
  ip-locate-data update --folder /var/lib/ip-locate
  ip-locate-data update --folder data --databases city --source url --city-url https://mirror.example/city.mmdb.gz
  source <(ip-locate-data completions bash)     completions; also zsh, fish

An interrupted download continues where it stopped. Exit codes: 0 updated or already current, 1 failed and nothing replaced,
2 wrong command line.`;

const OPTIONS = {
  folder: { type: 'string' },
  databases: { type: 'string', default: 'city,asn' },
  source: { type: 'string', default: 'dbip' },
  'city-url': { type: 'string' },
  'asn-url': { type: 'string' },
  'city-sha256': { type: 'string' },
  'asn-sha256': { type: 'string' },
  'city-edition': { type: 'string', default: 'GeoLite2-City' },
  'asn-edition': { type: 'string', default: 'GeoLite2-ASN' },
  mirror: { type: 'string' },
  'known-address': { type: 'string', default: '8.8.8.8' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** The script for a shell. @throws UsageError when there is none */
const completionsOf = (shell: string | undefined): string => {
  if (!isShell(shell)) throw new UsageError(`completions is for ${SHELLS.join(', ')}, not "${shell ?? ''}".`);
  return completions(shell, {
    program: 'ip-locate-data',
    commands: { update: Object.keys(OPTIONS), completions: [] },
    options: ['help', 'version'],
  });
};

type Values = ReturnType<typeof parse>['values'];

/**
 * Runs `ip-locate-data`.
 * @returns the exit code: 0 updated or current, 1 failed, 2 wrong command line
 */
export const runDataCommand = async (
  args: readonly string[],
  context: DataCommandContext,
): Promise<number> => {
  const { terminal, version } = context;
  try {
    const { values, positionals } = parse(args);
    if (values.version) return print(terminal, version);
    if (values.help || positionals.length === 0) return print(terminal, USAGE);
    if (positionals[0] === 'completions') return print(terminal, completionsOf(positionals[1]));
    if (positionals.join(' ') !== 'update')
      throw new UsageError(`"${positionals.join(' ')}" is not a command.`);
    return await update(values, context);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.note(`${error.message} \`ip-locate-data --help\` shows what is possible.`);
    return 2;
  }
};

const print = (terminal: Terminal, text: string): 0 => {
  terminal.out(text);
  return 0;
};

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]}.`);
  }
};

const update = async (values: Values, context: DataCommandContext): Promise<number> => {
  const { folder } = values;
  if (folder === undefined) throw new UsageError('--folder is missing.');
  const names = databaseNames(values);
  // All of the command line is checked before the first download.
  const plans = await Promise.all(
    names.map(async (name) => ({ name, offers: await offersOf(name, values, context) })),
  );
  if (!parseAddress(values['known-address'])) throw new UsageError('--known-address is not an address.');
  let failed = false;
  for (const { name, offers } of plans) {
    failed =
      !(await updateOne(name, join(folder, `${name}.mmdb`), offers, values['known-address'], context)) ||
      failed;
  }
  return failed ? 1 : 0;
};

const updateOne = async (
  name: DatabaseName,
  path: string,
  offers: readonly Offer[],
  knownAddress: string,
  { terminal, retry }: DataCommandContext,
): Promise<boolean> => {
  const line = progressLine(name, terminal.progress, ['MB', 1e6]);
  try {
    const { outcome, builtAt } = await updateDatabase(offers, knownAddress, {
      database: databaseFile({ path, builtAt: buildDateOf, ...(retry && { retry }) }),
      verify: VERIFY[name],
      progress: line.update,
    });
    line.end();
    const date = builtAt ? `of ${builtAt.toISOString().slice(0, 10)}` : 'without a date';
    terminal.out(`${path}: ${outcome === 'updated' ? 'updated, data' : 'already current, data'} ${date}`);
    return true;
  } catch (error) {
    line.end();
    const { code } = error as NodeJS.ErrnoException;
    if (!(error instanceof UpdateFailed) && code === undefined) throw error;
    terminal.note(`${path}: not updated: ${(error as Error).message}`);
    return false;
  }
};

const databaseNames = ({ databases }: Values): DatabaseName[] => {
  const names = databases.split(',').map((name) => name.trim());
  const wrong = names.find((name) => name !== 'city' && name !== 'asn');
  if (wrong !== undefined) throw new UsageError(`--databases is city, asn or both, not "${wrong}".`);
  return [...new Set(names)] as DatabaseName[];
};

const offersOf = async (
  name: DatabaseName,
  values: Values,
  { env, now }: DataCommandContext,
): Promise<Offer[]> => {
  const { source, mirror } = values;
  for (const url of [mirror, values['city-url'], values['asn-url']]) {
    if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
      throw new UsageError(`"${url}" is not an HTTP address.`);
    }
  }
  switch (source) {
    case 'dbip':
      return dbIpOffers(name, now, mirror);
    case 'maxmind': {
      const accountId = env['MAXMIND_ACCOUNT_ID'];
      const keyFile = env['MAXMIND_LICENSE_KEY_FILE'];
      const licenseKey =
        env['MAXMIND_LICENSE_KEY'] ??
        (keyFile && (await readFile(keyFile, 'utf8').catch(() => undefined))?.trim());
      if (!accountId || !licenseKey) {
        throw new UsageError(
          '--source maxmind needs MAXMIND_ACCOUNT_ID and MAXMIND_LICENSE_KEY in the environment.',
        );
      }
      return maxMindOffers(values[`${name}-edition`], { accountId, licenseKey }, mirror);
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
      throw new UsageError(`--source is dbip, maxmind or url, not "${source}".`);
  }
};

const buildDateOf = async (path: string): Promise<Date | null> => {
  try {
    return openMmdb(await readFile(path)).builtAt;
  } catch (error) {
    // A damaged file in its place is no reason to keep it.
    if (error instanceof UnusableFiles) return null;
    throw error;
  }
};

const verifier =
  <T extends { readonly info: DatabaseInfo }>(
    open: (files: { name: string; bytes: Buffer }[]) => Promise<T>,
    knows: (database: T, address: NonNullable<ReturnType<typeof parseAddress>>) => boolean,
  ) =>
  async (file: string, knownAddress: string): Promise<DatabaseInfo> => {
    let database: T;
    try {
      database = await open([{ name: basename(file), bytes: await readFile(file) }]);
    } catch (cause) {
      if (cause instanceof UnusableFiles) throw new UpdateFailed(cause.message, { cause });
      throw cause;
    }
    const address = parseAddress(knownAddress);
    if (!address || !knows(database, address)) {
      throw new UpdateFailed(`the file has no record for ${knownAddress}`);
    }
    return database.info;
  };

/** A file of countries would take the cities away. */
const openCities = async (files: { name: string; bytes: Buffer }[]) => {
  const database = await openCityDatabase(files);
  const [type = ''] = database.info.types;
  if (kindOf(type) !== 'city')
    throw new UnusableFiles(`a database of type ${JSON.stringify(type)} has no cities`);
  return database;
};

/** The service's own verification, and a record for an address that everyone has. */
const VERIFY = {
  city: verifier(openCities, (database, address) => database.find(address, 'en').location.country !== null),
  asn: verifier(openAsnDatabase, (database, address) => database.find(address) !== UNKNOWN_OPERATOR),
};
