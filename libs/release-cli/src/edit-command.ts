import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { Catalogue } from '@workspace/release-catalogue';
import { onlyPositional } from './arguments.ts';
import { type DataFile, openData, WRITE_OPTIONS, type WriteValues } from './publish.ts';
import type { CliContext, Command } from './terminal.ts';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

/** The new content of one data file, made from the facts on record. */
export type Edit = (catalogue: Catalogue) => DataFile | Promise<DataFile>;

export interface EditCommand<O extends Options> extends Pick<Command, 'summary' | 'usage' | 'example'> {
  /** what its one positional argument is: `version` */
  readonly subject: string;
  /** beside those of every command that writes */
  readonly options: O;
  /** Checks the command line, before any data is read. @throws UsageError */
  readonly read: (subject: string, values: Values<O>, context: CliContext) => Edit;
}

/** A command that changes one file: command line, data, edit, rules, diff, confirmation, write. */
export const editCommand = <const O extends Options>({
  summary,
  usage,
  subject,
  example,
  options,
  read,
}: EditCommand<O>): Command => ({
  summary,
  usage,
  example,
  options: Object.keys({ ...options, ...WRITE_OPTIONS }),
  run: async (args, context) => {
    const parsed = parseArgs({ args, allowPositionals: true, options: { ...options, ...WRITE_OPTIONS } });
    // TypeScript cannot see through the union of two sets of options; parseArgs has checked both.
    const values = parsed.values as Values<O> & WriteValues;
    const edit = read(onlyPositional(parsed.positionals, subject), values, context);
    const { catalogue, publish } = await openData(values, context);
    return publish(await edit(catalogue));
  },
});
