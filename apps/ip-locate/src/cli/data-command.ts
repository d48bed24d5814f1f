import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { parseAddress } from '@workspace/ip-addresses';
import { UnusableFiles } from '@workspace/service-kit';
import { completions, helpText, isShell, parseFailure, SHELLS } from '@workspace/shell-completions';
import { databaseFile, type DatabaseFileOptions } from '../adapters/download/database-file.ts';
import { compiledLists, type PublishedList } from '../adapters/download/compiled-lists.ts';
import { type DatabaseName, dbIpOffers, maxMindOffers } from '../adapters/download/sources.ts';
import { openAnonymousDatabase } from '../adapters/mmdb/anonymous-database.ts';
import { openAsnDatabase } from '../adapters/mmdb/asn-database.ts';
import { openCityDatabase } from '../adapters/mmdb/city-database.ts';
import { modelOf } from '../adapters/mmdb/database-model.ts';
import { writeTraitsDatabase } from '../adapters/mmdb/traits-database.ts';
import { openMmdb } from '../adapters/mmdb/mmdb-file.ts';
import type { DatabaseInfo } from '../application/location-database.ts';
import {
  type DatabaseFile,
  type Offer,
  updateDatabase,
  type UpdateDeps,
  UpdateFailed,
  type UpdateResult,
} from '../application/update-database.ts';
import type { TraitList } from '../domain/traits-of-lists.ts';
import { isListTrait, LIST_TRAITS, type ListTrait } from '../domain/address-traits.ts';
import { UNKNOWN_OPERATOR } from '../domain/location.ts';
import type { ArgumentValues, DataOption, Examine } from './data-option.ts';
import { openDatabase } from './open-database.ts';
import { progressLine } from './progress.ts';
import { exitCodeOf, type Terminal, UsageError } from './terminal.ts';

export interface DataCommandContext {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: Date;
  readonly version: string;
  readonly options: readonly DataOption[];
  readonly retry?: DatabaseFileOptions['retry'];
}

const USAGE = `Usage: ip-locate-data update --folder FOLDER [options]

Downloads newer databases into FOLDER: city.mmdb, asn.mmdb and anonymous.mmdb. A new file replaces the old one only if it is complete, passes the service's own verification and is not older. A running service loads it within a minute.

  --folder FOLDER        where the databases are
  --databases LIST       some of city, asn and anonymous (default city,asn)
  --source SOURCE        dbip     DB-IP Lite: monthly, free, no account (default)
                         maxmind  GeoLite2 or GeoIP2: MAXMIND_ACCOUNT_ID and MAXMIND_LICENSE_KEY, or MAXMIND_LICENSE_KEY_FILE, in the environment
                         url      the files at --city-url, --asn-url and --anonymous-url
  --list TRAIT=URL       makes anonymous.mmdb from published lists of networks (JSON, CSV or lines); TRAIT is one of ${Object.keys(LIST_TRAITS).join(', ')}; may be repeated
  --complete TRAITS      traits, separated by commas, whose lists are complete: all other addresses get false instead of unknown
  --accept-smaller       accept lists that have lost more than half of their networks
  --city-url URL         .mmdb, .mmdb.gz or .tar.gz
  --asn-url URL
  --anonymous-url URL
  --city-sha256 SUM      SHA-256 of the file at --city-url, in hexadecimal
  --asn-sha256 SUM
  --anonymous-sha256 SUM
  --city-edition NAME    MaxMind's edition (default GeoLite2-City)
  --asn-edition NAME     (default GeoLite2-ASN)
  --anonymous-edition NAME
                         (default GeoIP2-Anonymous-IP)
  --mirror URL           a server with the same paths as DB-IP's or MaxMind's
  --known-address IP     an address that the new city.mmdb and asn.mmdb must have an entry for (default 8.8.8.8)
  --version              print the version
  -h, --help             print this

Examples:
  ip-locate-data update --folder /var/lib/ip-locate
  ip-locate-data update --folder data --databases city --source url \\
    --city-url https://mirror.example/city.mmdb.gz
  ip-locate-data update --folder data --databases anonymous --complete tor \\
    --list tor=https://check.torproject.org/torbulkexitlist \\
    --list hosting=https://ip-ranges.amazonaws.com/ip-ranges.json
  source <(ip-locate-data completions bash)     completions; also zsh, fish
`;

const EXIT_CODES =
  'Exit codes: 0 updated or already current, 1 failed and nothing replaced, 2 wrong command line, 3 a new file waits.';

const usageOf = (options: readonly DataOption[]): string =>
  helpText([USAGE, ...options.map(({ help }) => help), EXIT_CODES].join('\n\n'));

const HELP = { help: { type: 'boolean', short: 'h' } } as const;

const OPTIONS = {
  folder: { type: 'string' },
  databases: { type: 'string', default: 'city,asn' },
  source: { type: 'string', default: 'dbip' },
  list: { type: 'string', multiple: true, default: [] as string[] },
  complete: { type: 'string' },
  'accept-smaller': { type: 'boolean', default: false },
  'city-url': { type: 'string' },
  'asn-url': { type: 'string' },
  'anonymous-url': { type: 'string' },
  'city-sha256': { type: 'string' },
  'asn-sha256': { type: 'string' },
  'anonymous-sha256': { type: 'string' },
  'city-edition': { type: 'string', default: 'GeoLite2-City' },
  'asn-edition': { type: 'string', default: 'GeoLite2-ASN' },
  'anonymous-edition': { type: 'string', default: 'GeoIP2-Anonymous-IP' },
  mirror: { type: 'string' },
  'known-address': { type: 'string', default: '8.8.8.8' },
  ...HELP,
  version: { type: 'boolean' },
} as const;

const updateOptions = (options: readonly DataOption[]): typeof OPTIONS =>
  Object.assign({}, OPTIONS, ...options.map(({ update: { options: own } }) => own)) as typeof OPTIONS;

/** The script for a shell. @throws UsageError when there is none */
const completionsOf = (shell: string | undefined, options: readonly DataOption[]): string => {
  if (!isShell(shell))
    throw new UsageError(`completions needs one of ${SHELLS.join(', ')}, not "${shell ?? ''}".`);
  return completions(shell, {
    program: 'ip-locate-data',
    commands: {
      update: Object.keys(updateOptions(options)),
      ...Object.fromEntries(options.map(({ command }) => [command.name, Object.keys(command.options)])),
      completions: [],
    },
    options: ['help', 'version'],
  });
};

type Values = ReturnType<typeof parse<typeof OPTIONS>>['values'];

/**
 * Runs `ip-locate-data`.
 * @returns the exit code: 0 updated or current, 1 failed, 2 wrong command line, 3 a new file waits
 */
export const runDataCommand = async (
  args: readonly string[],
  context: DataCommandContext,
): Promise<number> => {
  const { terminal, version, options } = context;
  try {
    const command = options.map((option) => option.command).find(({ name }) => name === args[0]);
    if (command) {
      const { values, positionals } = parse(args.slice(1), { ...command.options, ...HELP });
      if (values['help']) return await print(terminal, usageOf(options));
      return await command.run(positionals, values as ArgumentValues, { terminal, open: openDatabase });
    }
    const { values, positionals } = parse(args, updateOptions(options));
    if (values.version) return await print(terminal, version);
    if (values.help || positionals.length === 0) return await print(terminal, usageOf(options));
    if (positionals[0] === 'completions')
      return await print(terminal, completionsOf(positionals[1], options));
    if (positionals.join(' ') !== 'update')
      throw new UsageError(`"${positionals.join(' ')}" is not a command.`);
    return await update(values, context);
  } catch (error) {
    return exitCodeOf(error, 'ip-locate-data', terminal);
  }
};

const print = async (terminal: Terminal, text: string): Promise<0> => {
  await terminal.out(text);
  return 0;
};

const parse = <T extends NonNullable<ParseArgsConfig['options']>>(args: readonly string[], options: T) => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(parseFailure(error as Error, Object.keys(options)));
  }
};

const update = async (values: Values, context: DataCommandContext): Promise<0 | 1 | 3> => {
  const { folder } = values;
  if (folder === undefined) throw new UsageError('--folder is missing.');
  const names = databaseNames(values);
  // All of the command line is checked before the first download.
  const plans = await Promise.all(
    names.map(async (name) => {
      const compiled = name === 'anonymous' ? listsOf(values) : undefined;
      return { name, compiled, offers: compiled ? [] : await offersOf(name, values, context) };
    }),
  );
  if (!parseAddress(values['known-address'])) throw new UsageError('--known-address is not an address.');
  const examinations = await Promise.all(
    context.options.map((option) =>
      option.update.examine(values as ArgumentValues, { terminal: context.terminal, open: openDatabase }),
    ),
  );
  const results: Result[] = [];
  for (const { name, compiled, offers } of plans) {
    const path = join(folder, `${name}.mmdb`);
    const options = { path, builtAt: buildDateOf, ...(context.retry && { retry: context.retry }) };
    const database = compiled
      ? compiledLists({ ...options, ...compiled, compile: compilerOf(compiled.complete, context.now) })
      : databaseFile(options);
    const known = values['known-address'];
    const examine = examineAll(examinations, name, path);
    results.push(await updateOne({ name, path, offers, database, examine }, known, context));
  }
  if (results.includes('failed')) return 1;
  return results.includes('waiting') ? 3 : 0;
};

/** The first reason that an option has for a file to wait. */
const examineAll =
  (examinations: readonly (Examine | undefined)[], name: DatabaseName, path: string) =>
  async (candidate: string): Promise<string | undefined> => {
    for (const examine of examinations) {
      const reason = await examine?.({ name, path, candidate });
      if (reason !== undefined) return reason;
    }
    return undefined;
  };

const compilerOf =
  (complete: readonly ListTrait[], builtAt: Date) =>
  (lists: readonly TraitList[]): Buffer =>
    writeTraitsDatabase(lists, { complete, builtAt });

/** One database to update. */
interface Plan {
  readonly name: DatabaseName;
  readonly path: string;
  readonly offers: readonly Offer[];
  readonly database: DatabaseFile;
  readonly examine: UpdateDeps['examine'];
}

type Result = UpdateResult['outcome'] | 'failed';

const updateOne = async (
  { name, path, offers, database, examine }: Plan,
  knownAddress: string,
  { terminal, now }: DataCommandContext,
): Promise<Result> => {
  const line = progressLine(name, terminal.progress, ['MB', 1e6]);
  let text: string;
  let result: Result;
  try {
    const { outcome, builtAt, waiting } = await updateDatabase(offers, knownAddress, {
      database,
      verify: VERIFY[name],
      examine,
      progress: line.update,
      now,
    });
    line.end();
    if (waiting) {
      const { file, reason } = waiting;
      terminal.note(
        `${path}: not updated: ${reason}. To see what changes: ip-locate-data diff ${path} ${file}; to install it: mv ${file} ${path}`,
      );
      return outcome;
    }
    result = outcome;
    const date = builtAt ? `of ${builtAt.toISOString().slice(0, 10)}` : 'without a date';
    text = `${path}: ${outcome === 'updated' ? 'updated, data' : 'already current, data'} ${date}`;
  } catch (error) {
    line.end();
    const { code } = error as NodeJS.ErrnoException;
    if (!(error instanceof UpdateFailed) && code === undefined) throw error;
    terminal.note(`${path}: not updated: ${(error as Error).message}`);
    return 'failed';
  }
  await terminal.out(text);
  return result;
};

const databaseNames = ({ databases }: Values): DatabaseName[] => {
  const names = databases.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !Object.hasOwn(VERIFY, name));
  if (wrong !== undefined) {
    throw new UsageError(`--databases must be some of city, asn and anonymous, not "${wrong}".`);
  }
  return [...new Set(names)] as DatabaseName[];
};

const isHttpUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

/** The lists that the command line names; undefined without any. */
const listsOf = (values: Values) => {
  const complete = values.complete?.split(',').map((trait) => trait.trim()) ?? [];
  const wrong = complete.find((trait) => !isListTrait(trait));
  if (wrong !== undefined) throw new UsageError(`--complete names ${TRAITS}, not "${wrong}".`);
  if (values.list.length === 0) return undefined;
  const lists = values.list.map((text): PublishedList => {
    const [, trait = '', url = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
    if (!isListTrait(trait))
      throw new UsageError(`--list is TRAIT=URL, TRAIT one of ${TRAITS}, not "${text}".`);
    if (!isHttpUrl(url)) throw new UsageError(`"${url}" is not an HTTP address.`);
    return { trait, url };
  });
  const unlisted = complete.find((trait) => !lists.some((list) => list.trait === trait));
  if (unlisted !== undefined) throw new UsageError(`--complete ${unlisted} needs a --list ${unlisted}=….`);
  return { lists, complete: complete as ListTrait[], acceptSmaller: values['accept-smaller'] };
};

const TRAITS = Object.keys(LIST_TRAITS).join(', ');

const offersOf = async (
  name: DatabaseName,
  values: Values,
  { env, now }: DataCommandContext,
): Promise<Offer[]> => {
  const { source, mirror } = values;
  for (const url of [mirror, values['city-url'], values['asn-url'], values['anonymous-url']]) {
    if (url !== undefined && !isHttpUrl(url)) throw new UsageError(`"${url}" is not an HTTP address.`);
  }
  switch (source) {
    case 'dbip':
      if (name === 'anonymous') throw new UsageError('DB-IP has no anonymous.mmdb: add --list.');
      return dbIpOffers(name, now, mirror);
    case 'maxmind': {
      const accountId = env['MAXMIND_ACCOUNT_ID'];
      const licenseKey = env['MAXMIND_LICENSE_KEY'] || (await keyIn(env['MAXMIND_LICENSE_KEY_FILE']));
      if (!accountId || !licenseKey) {
        throw new UsageError(
          '--source maxmind needs MAXMIND_ACCOUNT_ID and MAXMIND_LICENSE_KEY or MAXMIND_LICENSE_KEY_FILE in the environment.',
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
      throw new UpdateFailed(
        `the file has no entry for ${knownAddress}; name an address that it must have with --known-address`,
      );
    }
    return database.info;
  };

/** A file of countries would take the cities away. */
const openCities = async (files: { name: string; bytes: Buffer }[]) => {
  const database = await openCityDatabase(files);
  const [type = ''] = database.info.types;
  if (modelOf(type) !== 'city')
    throw new UnusableFiles(`a database of type ${JSON.stringify(type)} has no cities`);
  return database;
};

/** The service's own verification, and an entry for an address that everyone has. Few addresses have one among the anonymous. */
const VERIFY = {
  city: verifier(openCities, (database, address) => database.find(address, 'en').location.country !== null),
  anonymous: verifier(openAnonymousDatabase, () => true),
  asn: verifier(openAsnDatabase, (database, address) => database.find(address) !== UNKNOWN_OPERATOR),
};
