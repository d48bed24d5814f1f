import { helpText } from '@workspace/shell-completions';
import type { ArgumentOptions, ArgumentValues, DataOption, DataOptionContext } from './data-option.ts';
import { openDatabase } from './open-database.ts';
import { completionsFor, exitCodeOf, parseArguments, type Terminal, UsageError } from './terminal.ts';

export interface DataCommandContext extends Omit<DataOptionContext, 'open'> {
  readonly version: string;
}

const EXIT_CODES =
  'Exit codes: 0 updated or already current, 1 failed and nothing replaced, 2 wrong command line, 3 a new file waits.';

const usageOf = (options: readonly DataOption[]): string =>
  helpText([...options.flatMap(({ help }) => help?.(options) ?? []), EXIT_CODES].join('\n\n'));

const HELP = { help: { type: 'boolean', short: 'h' } } as const;
const LAST = { ...HELP, version: { type: 'boolean' } } as const;

const commandsOf = (options: readonly DataOption[]) => options.flatMap(({ command }) => command ?? []);

const completionsOf = (shell: string | undefined, options: readonly DataOption[]): string =>
  completionsFor(shell, {
    program: 'ip-locate-data',
    commands: {
      ...Object.fromEntries(commandsOf(options).map((one) => [one.name, Object.keys(one.options(options))])),
      completions: [],
    },
    options: ['help', 'version'],
  });

/**
 * Runs `ip-locate-data`.
 * @returns the exit code: 0 updated or current, 1 failed, 2 wrong command line, 3 a new file waits
 */
export const runDataCommand = async (
  args: readonly string[],
  context: DataCommandContext,
): Promise<number> => {
  const { terminal, version, options } = context;
  const commands = commandsOf(options);
  try {
    // The command may come after its options.
    const named =
      commands.find(({ name }) => name === args[0]) ?? commands.find(({ name }) => args.includes(name));
    const known = named ? [named] : commands;
    const { values, positionals } = parseArguments(
      args,
      Object.assign({}, ...known.map((one) => one.options(options)), LAST) as ArgumentOptions & typeof LAST,
    );
    if (values.version) return await print(terminal, version);
    if (values.help || positionals.length === 0) return await print(terminal, usageOf(options));
    if (positionals[0] === 'completions')
      return await print(terminal, completionsOf(positionals[1], options));
    if (!named || positionals[0] !== named.name)
      throw new UsageError(`"${positionals.join(' ')}" is not a command.`);
    return await named.run(positionals.slice(1), values as ArgumentValues, {
      ...context,
      open: openDatabase,
    });
  } catch (error) {
    return exitCodeOf(error, 'ip-locate-data', terminal);
  }
};

const print = async (terminal: Terminal, text: string): Promise<0> => {
  await terminal.out(text);
  return 0;
};
