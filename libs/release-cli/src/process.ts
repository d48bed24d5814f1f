import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runCli } from './cli.ts';
import { type Command, progressOf, type Terminal } from './terminal.ts';

/** What shells make of SIGINT. */
const INTERRUPTED = 130;

/**
 * Runs the command line of a process.
 * @param home what the command belongs to: the folder that has its `package.json` and perhaps `data/`
 * @param commands more than those of this library
 * @returns the exit code
 */
export const runProcess = async (
  parent: NodeJS.Process,
  home: string,
  now: Date,
  commands: Readonly<Record<string, Command>> = {},
): Promise<number> => {
  const { argv, env, stdin, stdout, stderr } = parent;
  // Files are replaced as a whole: at no moment is one half written.
  const interrupted = () => {
    stderr.write('\nInterrupted.\n');
    parent.exit(INTERRUPTED);
  };
  parent.once('SIGINT', interrupted);
  const ask = (question: string): Promise<boolean> =>
    new Promise((resolve) => {
      const lines = createInterface({ input: stdin, output: stderr });
      // Here Ctrl-C is a key, and no signal.
      lines.once('SIGINT', interrupted);
      // Ctrl-D is no answer.
      const unanswered = () => {
        stderr.write('\n');
        resolve(false);
      };
      lines.once('close', unanswered);
      lines.question(`${question} [y/N] `, (answer) => {
        lines.off('close', unanswered).close();
        resolve(/^y(es)?$/i.test(answer.trim()));
      });
    });
  // `| head` has read enough. What the command writes to files does not depend on readers.
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  const progress = progressOf(stderr, env);
  const terminal: Terminal = {
    out: (line) => void stdout.write(`${harmless(line)}\n`),
    note: (line) => void stderr.write(`${harmless(line)}\n`),
    ...(progress && { progress }),
    ...(stdin.isTTY && stderr.isTTY && { confirm: ask }),
    colour: stdout.isTTY && !env['NO_COLOR'],
  };
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };
  return runCli(
    argv.slice(2),
    {
      terminal,
      // Its own package has no data.
      folder: existsSync(join(home, 'data')) ? join(home, 'data') : 'data',
      version,
      now,
    },
    commands,
  );
};

/** Without control characters, which the site that is followed or a manifest may contain; colours may stay. */
const harmless = (text: string): string =>
  text.replace(/\p{Cc}/gu, (character, at: number) => {
    const isColour = character === '\u001b' && /^\[\d+m/.test(text.slice(at + 1, at + 5));
    return isColour || character === '\n' || character === '\t' ? character : '\ufffd';
  });
