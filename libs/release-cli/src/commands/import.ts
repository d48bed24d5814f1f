import { parseArgs } from 'node:util';
import { required } from '../arguments.ts';
import { importSite } from '../import/import-site.ts';
import { tufReader } from '../import/tuf-reader.ts';
import { WRITE_OPTIONS } from '../publish.ts';
import { type Command, UsageError } from '../terminal.ts';

const OPTIONS = {
  ...WRITE_OPTIONS,
  url: { type: 'string' },
  tuf: { type: 'string' },
  root: { type: 'string' },
  state: { type: 'string' },
} as const;

export const importCommand: Command = {
  summary: 'follow php.net or another release-web',
  usage: `import --url <site> [options]
  Takes over the releases and builds that https://www.php.net or another release-web has published since. Every other difference is reported; nothing on record is changed or dropped.
  Exit codes:
  0  everything new was taken over, and nothing contradicts the data
  1  something was not taken over, for the reason shown, and the rest was
  2  wrong command line
  3  the site has another digest than the data for a file that both have, whatever else happened
  4  readers are misled if the site is right, whatever else happened: a release or build is not there any more, or an end of support, or a date, kind, file or CVE id of a release differs; each error says which command to use
import --tuf <URL> --root <file> [--state <folder>] [options]
  The same from a signed export, whose files count only with the signatures that the root asks for. <URL> is that of its metadata/ and targets/, <file> its root as you got it from a person. What was seen is kept in <folder> (default: <data>.tuf), so that older files are rejected.`,
  options: Object.keys(OPTIONS),
  afterFailure: 'The import is incomplete: run the command again.',
  example: 'import --url https://www.php.net --dry-run',
  run: async (args, context) => {
    const { values } = parseArgs({ args, options: OPTIONS });
    if (values.tuf === undefined) return importSite(required(values.url, '--url'), values, context);
    if (values.url !== undefined) throw new UsageError('Import from --url or from --tuf.');
    const root = required(values.root, '--root');
    const state = values.state ?? `${(values.data ?? context.folder).replace(/\/+$/, '')}.tuf`;
    return importSite(values.tuf, values, context, (site) => tufReader(site, root, state));
  },
};
