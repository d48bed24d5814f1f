import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { parseAddress } from '@workspace/ip-addresses';
import { ProblemError } from '@workspace/service-kit/problems';
import { UnusableFiles } from '@workspace/service-process';
import { didYouMean, helpText } from '@workspace/shell-completions';
import { openAsnDatabase } from '../adapters/mmdb/asn-database.ts';
import type { BundledData } from '../adapters/mmdb/bundled-data.ts';
import { openCityDatabase } from '../adapters/mmdb/city-database.ts';
import { openFurtherDatabase } from '../adapters/mmdb/further-database.ts';
import { timeZoneAt } from '../adapters/mmdb/time-zone.ts';
import { createLocate, FULL } from '../application/locate.ts';
import { parseDatabaseList } from '../domain/database-list.ts';
import { Lookup } from '../http/lookup/lookup.ts';
import { parseFields } from '../http/lookup/chosen-fields.ts';
import { type FieldName, fieldLists, SHORT_RECORD } from '../http/lookup/fields.ts';
import { enrichedLines, lineWriter } from '../http/lookup/lines/enriched-lines.ts';
import type { InputFormat, OutputFormat } from '../http/lookup/lines/line-writer.ts';
import type { ArgumentValues } from './data-option.ts';
import type { LookupOption, LookupSources } from './lookup-option.ts';
import { progressLine } from './progress.ts';
import { completionsFor, exitCodeOf, oneOf, parseArguments, type Terminal, UsageError } from './terminal.ts';

export interface LookupCommandContext {
  readonly terminal: Terminal;
  readonly stdin: Readable & { readonly isTTY?: boolean; readonly fd?: number };
  readonly stdout: Writable;
  readonly now: Date;
  readonly version: string;
  readonly options: readonly LookupOption[];
  /** the data that comes with the service, when it is installed */
  readonly bundled: BundledData;
}

const usageOf = (options: readonly LookupOption[]): string => `Usage: ip-locate [options] [FILE | ADDRESS...]
       ip-locate < addresses.txt > locations.ndjson

Adds locations to addresses, offline. Writes a line for each line of FILE or standard input, in the same order.

  --input FORMAT     text    an address per line (default)
                     ndjson  an address, or an object with an address as ip, per line; objects keep their members
                     csv     addresses in the column ip, or in the first column; rows keep their cells
  --output FORMAT    ndjson, csv (default: csv for --input csv, otherwise ndjson)
  --fields LIST      fields separated by commas, or all (default ${SHORT_RECORD.join(',')})
  --lang TAG         language of names (default en)
  --database FILES   City or Country database, or two files separated by a comma, one per address family (default: the bundled data); more databases after semicolons: locations that the first lacks, Connection-Type, Domain
  --asn-database FILE
                     ASN database, for asn and org (default: the bundled data)
${options.map(({ help }) => `${help}\n`).join('')}  --version          print the version
  -h, --help         print this

Examples:
  ip-locate 8.8.8.8 1.1.1.1
  ip-locate addresses.txt > locations.ndjson
  ip-locate --input csv --fields city,country,asn visitors.csv > located.csv
  zcat access.log.gz | cut -d ' ' -f 1 | ip-locate --output csv
  source <(ip-locate completions bash)     also zsh, fish; a FILE of that name is ./completions

Exit codes: 0 all lines were read, 1 a database or the input cannot be read, 2 wrong command line. The output line of an invalid address is an error; standard error has the number of errors.`;

const OPTIONS = {
  input: { type: 'string', default: 'text' },
  output: { type: 'string' },
  fields: { type: 'string' },
  lang: { type: 'string' },
  database: { type: 'string' },
  'asn-database': { type: 'string' },
} as const;
const LAST = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } as const;

const argumentsOf = (options: readonly LookupOption[]) =>
  Object.assign({}, OPTIONS, ...options.map((option) => option.options), LAST) as typeof OPTIONS &
    typeof LAST;

/**
 * Runs `ip-locate`.
 * @returns the exit code: 0 all lines were read, 1 a database or the input cannot be read, 2 wrong command line
 */
export const runLookupCommand = async (
  args: readonly string[],
  context: LookupCommandContext,
): Promise<number> => {
  const { terminal, version, options } = context;
  try {
    const known = argumentsOf(options);
    const { values, positionals } = parseArguments(args, known);
    if (values.version || values.help) {
      await terminal.out(values.version ? version : helpText(usageOf(options)));
      return 0;
    }
    if (positionals[0] === 'completions') {
      const line = { program: 'ip-locate', commands: { completions: [] }, options: Object.keys(known) };
      await terminal.out(completionsFor(positionals[1], line));
      return 0;
    }
    return await enrich(values, positionals, context);
  } catch (error) {
    if (!(error instanceof ProblemError)) return exitCodeOf(error, 'ip-locate', terminal);
    terminal.note(error.message);
    return 1;
  }
};

type Values = ReturnType<typeof parseArguments<ReturnType<typeof argumentsOf>>>['values'];

const enrich = async (
  values: Values,
  files: readonly string[],
  context: LookupCommandContext,
): Promise<number> => {
  const { terminal, stdin, stdout, now } = context;
  const addresses = addressesIn(files);
  const format = oneOf<InputFormat>('--input', values.input, ['text', 'ndjson', 'csv']);
  const input = addresses ? 'text' : format;
  const output = oneOf<OutputFormat>('--output', values.output ?? (input === 'csv' ? 'csv' : 'ndjson'), [
    'ndjson',
    'csv',
  ]);
  if (input === 'csv' && output !== 'csv') throw new UsageError('--input csv gives --output csv only.');
  const sources = await openSources(values, context);
  const fields = fieldsOf(values.fields, sources);
  const { precision = FULL } = sources;
  if (!addresses && files.length > 1) throw new UsageError('Name one FILE, or addresses only.');
  const file = addresses ? undefined : files[0];
  if (!addresses && file === undefined && stdin.isTTY)
    throw new UsageError('FILE is missing, and standard input is a terminal.');
  const lookup = await openLookup(values, context, sources);
  const writer = lineWriter({
    input,
    output,
    fields,
    lookUp: (address) => lookup.address(address, values.lang, now, precision),
  });

  const size = addresses ? undefined : await sizeOf(file ?? stdin.fd);
  const source = () => {
    if (addresses) return Readable.from([Buffer.from(addresses.join('\n'))]);
    return file === undefined ? stdin : createReadStream(file);
  };
  // Bytes when their number is known, because then the end is known too.
  const line = progressLine(
    'ip-locate',
    terminal.progress,
    size === undefined ? ['addresses', 1] : ['MB', 1e6],
  );
  let count = 0;
  const lines = enrichedLines(source(), {
    writer,
    progress: (bytes, lines) => {
      count = lines;
      line.update(size === undefined ? lines : bytes, size);
    },
  });
  const startedAt = performance.now();
  const failed = failureOf(stdout);
  try {
    for await (const text of lines) {
      if (!stdout.write(text)) await Promise.race([once(stdout, 'drain'), failed]);
    }
  } finally {
    line.end();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const errors = writer.errors === 0 ? '' : `, ${writer.errors.toLocaleString('en')} with an error`;
  terminal.note(
    `${count.toLocaleString('en')} ${count === 1 ? 'line' : 'lines'} in ${seconds.toFixed(1)} s${errors}`,
  );
  return 0;
};

/** The addresses that are named instead of a file, with spaces or commas between them; undefined if one is not an address. */
const addressesIn = (names: readonly string[]): readonly string[] | undefined => {
  const addresses = names.flatMap((name) => name.split(',')).filter((name) => name !== '');
  return addresses.length > 0 && addresses.every((text) => parseAddress(text)) ? addresses : undefined;
};

/** Rejects when the output cannot be written any more. */
const failureOf = (stdout: Writable): Promise<never> => {
  const failure = new Promise<never>((_resolve, reject) => stdout.once('error', reject));
  failure.catch(() => undefined);
  return failure;
};

const openSources = async (values: Values, { options }: LookupCommandContext): Promise<LookupSources> => {
  const context = { read: readAll, timeZoneAt };
  const opened: LookupSources[] = [];
  for (const option of options) opened.push(await option.open(values as ArgumentValues, context));
  return Object.assign({}, ...opened) as LookupSources;
};

const openLookup = async (
  values: Values,
  { bundled }: LookupCommandContext,
  { overlay, anonymous }: LookupSources,
): Promise<Lookup> => {
  const [named = [], ...others] = parseDatabaseList(values.database);
  const paths = named.length > 0 ? named : bundled.city;
  if (paths === undefined) throw new UsageError('The bundled data is not installed: add --database.');
  const asnPaths = values['asn-database']?.split(',') ?? bundled.asn;
  const locations = { current: await openCityDatabase(await readAll(paths)) };
  const operators = asnPaths && { current: await openAsnDatabase(await readAll(asnPaths)) };
  const further = await Promise.all(
    others.map(async (files) => ({ current: await openFurtherDatabase(await readAll(files)) })),
  );
  const locate = createLocate({ locations, ...(operators && { operators }), further, anonymous, overlay });
  return new Lookup({ locate, clientAddressOf: () => undefined, isTrustedProxy: () => false });
};

const readAll = (paths: readonly string[]) =>
  Promise.all(paths.map(async (path) => ({ name: basename(path), bytes: await readFile(path) })));

const fieldsOf = (text: string | undefined, { anonymous }: LookupSources): readonly FieldName[] => {
  if (text === undefined) return SHORT_RECORD;
  const { all } = fieldLists(anonymous !== undefined);
  const parsed = parseFields(text, all);
  if ('fields' in parsed) {
    if (parsed.fields.includes('hostname')) throw new UsageError('hostname is not available offline.');
    return parsed.fields;
  }
  throw new UsageError(
    `"${parsed.unknown}" is not a field.${didYouMean(parsed.unknown, all)} Fields: ${all.filter((name) => name !== 'hostname').join(', ')}.`,
  );
};

/** The size of a file; undefined for what is not a file, such as a pipe. */
const sizeOf = async (file: string | number | undefined): Promise<number | undefined> => {
  if (file === undefined) return undefined;
  const stats = await stat(typeof file === 'number' ? `/dev/fd/${file}` : file).catch((error: unknown) => {
    if (typeof file === 'number') return undefined;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new UnusableFiles(`"${file}" is neither a file nor an address.`);
    }
    throw error;
  });
  // Standard input would read as an empty one.
  if (stats?.isDirectory()) throw new UnusableFiles('The input is a folder.');
  return stats?.isFile() ? stats.size : undefined;
};
