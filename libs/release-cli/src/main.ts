#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { runCli } from './cli.ts';
import { progressOf, type Terminal } from './terminal.ts';

const { stdin, stdout, stderr } = process;

const ask = async (question: string): Promise<boolean> => {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
};

const progress = progressOf(stderr, process.env);
const terminal: Terminal = {
  out: (line) => void stdout.write(`${line}\n`),
  note: (line) => void stderr.write(`${line}\n`),
  ...(progress && { progress }),
  ...(stdin.isTTY && stderr.isTTY && { confirm: ask }),
  colour: stdout.isTTY && !process.env['NO_COLOR'],
};

/** What the command belongs to: the folder of the built service or of its own package, or the project when run from src/. */
const home = import.meta.dirname.endsWith('src')
  ? join(import.meta.dirname, '../../../apps/release-web')
  : import.meta.dirname;
const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };

process.exitCode = await runCli(process.argv.slice(2), {
  terminal,
  // Its own package has no data.
  folder: existsSync(join(home, 'data')) ? join(home, 'data') : 'data',
  version,
  now: new Date(),
});
