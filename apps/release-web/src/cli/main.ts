#!/usr/bin/env -S npx tsx
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { runCli } from './cli.ts';
import type { Terminal } from './terminal.ts';

const { stdin, stdout, stderr } = process;

const ask = async (question: string): Promise<boolean> => {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
};

const terminal: Terminal = {
  out: (line) => void stdout.write(`${line}\n`),
  note: (line) => void stderr.write(`${line}\n`),
  ...(stderr.isTTY && { progress: (text: string) => void stderr.write(`\r\u001b[K${text}`) }),
  ...(stdin.isTTY && stderr.isTTY && { confirm: ask }),
  colour: stdout.isTTY && !process.env['NO_COLOR'],
};

process.exitCode = await runCli(process.argv.slice(2), {
  terminal,
  folder: join(import.meta.dirname, '../../data'),
  now: new Date(),
});
