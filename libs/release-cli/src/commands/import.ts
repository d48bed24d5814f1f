import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  COMMON_FILES,
  violationText,
  readCatalogue,
  readDataTexts,
  writeDataFile,
  writeDataFolder,
} from '@workspace/release-catalogue';
import { onlyPositional, required } from '../arguments.ts';
import { importSite } from '../import/import-site.ts';
import { importResult } from '../import/import-tables.ts';
import type { PhpReleaseTable, PhpTables } from '../import/php-tables.ts';
import { tufReader } from '../import/tuf-reader.ts';
import { mayWrite, WRITE_OPTIONS } from '../publish.ts';
import { readText } from '../text-file.ts';
import { type Command, CommandRejected, UsageError } from '../terminal.ts';

const OPTIONS = {
  ...WRITE_OPTIONS,
  url: { type: 'string' },
  tuf: { type: 'string' },
  root: { type: 'string' },
  state: { type: 'string' },
} as const;

export const importCommand: Command = {
  summary: "follow php.net or another release-web, or fill an empty data folder from php.net's tables",
  usage: `import --url <site> [options]
  Takes over the releases and builds that https://www.php.net or another release-web has published since. Every other
  difference is reported; nothing on record is changed or dropped.
  Exit code 0: everything new was taken over, and nothing contradicts the data
            1: something was not taken over, for the reason shown, and the rest was
            2: wrong command line
            3: the site has another digest than the data for a file that both have, whatever else happened
            4: readers are misled if the site is right, whatever else happened: a release or build is not there any more, or
               an end of support, or a date, kind, file or CVE id of a release differs; each error says which command to use
import --tuf <URL> --root <file> [--state <folder>] [options]
  The same from a signed export, whose files count only with the signatures that the root asks for. <URL> is that of its
  metadata/ and targets/, <file> its root as you got it from a person. What was seen is kept in <folder> (default: <data>.tuf),
  so that older files are rejected.
import <folder with current.json, old.json, overrides.json, qa.json> --data <folder> [options]
  The data folder has product.json, news.json and accepted-findings.json, and no branches/ yet.
  What is found wrong is reported, kept as it is and accepted by name in accepted-findings.json.`,
  options: Object.keys(OPTIONS),
  afterFailure: 'The import is incomplete: run the command again.',
  example: 'import --url https://www.php.net --dry-run',
  run: async (args, context) => {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    if (values.tuf !== undefined) {
      if (positionals.length > 0 || values.url !== undefined)
        throw new UsageError('Import from a folder, from --url or from --tuf.');
      const root = required(values.root, '--root');
      const state = values.state ?? `${(values.data ?? context.folder).replace(/\/+$/, '')}.tuf`;
      return importSite(values.tuf, values, context, (site) => tufReader(site, root, state));
    }
    if (values.url !== undefined) {
      if (positionals.length > 0) throw new UsageError('Import from a folder or from --url, not from both.');
      return importSite(values.url, values, context);
    }
    const from = onlyPositional(positionals, 'folder');
    const to = values.data ?? context.folder;
    const { terminal } = context;
    const seen = await commonTexts(to);
    const { texts, remarks, violations } = importResult(await readPhpTables(from), seen);
    readCatalogue(texts, { now: context.now });
    violations.forEach((violation) => terminal.out(`found: ${violationText(violation)}`));
    remarks.forEach(terminal.out);
    terminal.out(`${violations.length} violations, accepted as imported`);
    if (!(await mayWrite(to, values, terminal))) return 0;
    // The branches come last: until their folder has its name nothing is imported.
    const file = 'accepted-findings.json';
    await writeDataFile({ folder: to, file, text: texts.get(file)!, seen }, context.files);
    await writeDataFolder(join(to, 'branches'), branchTexts(texts), context.files);
    terminal.note(`${to} written`);
    return 0;
  },
};

const branchTexts = (texts: ReadonlyMap<string, string>): Map<string, string> =>
  new Map(
    [...texts].flatMap(([file, text]) =>
      file.startsWith('branches/') ? [[file.slice('branches/'.length), text] as const] : [],
    ),
  );

/** A data folder that is ready for an import. */
const commonTexts = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  const texts = await readDataTexts(folder);
  const missing = COMMON_FILES.filter((file) => !texts.has(file));
  if (missing.length > 0) throw new CommandRejected(`${folder} lacks ${missing.join(', ')}.`);
  if (texts.size > COMMON_FILES.length) {
    throw new CommandRejected(
      `${folder} has branches already, with corrections an import would lose. Import into another folder.`,
    );
  }
  return texts;
};

/** Reads php.net's four tables from a folder: current.json, old.json, overrides.json, qa.json. */
const readPhpTables = async (folder: string): Promise<PhpTables> => ({
  current: await table<PhpReleaseTable>(folder, 'current.json'),
  old: await table<PhpReleaseTable>(folder, 'old.json'),
  overrides: await table<PhpTables['overrides']>(folder, 'overrides.json'),
  qa: await table<PhpTables['qa']>(folder, 'qa.json'),
});

const table = async <T>(folder: string, name: string): Promise<T> => {
  try {
    return JSON.parse(await readText(join(folder, name))) as T;
  } catch (error) {
    throw new CommandRejected(`${join(folder, name)}: ${(error as Error).message}`, { cause: error });
  }
};
