import { parseArgs, type ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<T extends Options> = ReturnType<typeof parseArgs<{ options: T }>>['values'];

/** Ends the process because its command line is wrong: one line, exit code 2. */
export const wrongUsage = (reason: string): never => {
  process.stderr.write(`${reason}. --help shows what is possible.\n`);
  process.exit(2);
};

/** The options of a tool for development. With `--help`, prints what the tool is for and ends the process. */
export const toolOptions = <const T extends Options>(help: string, options: T): Values<T> => {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${help}\n`);
    process.exit(0);
  }
  try {
    return parseArgs({ args: process.argv.slice(2), options }).values;
  } catch (error) {
    return wrongUsage((error as Error).message.split('. ')[0]!);
  }
};
