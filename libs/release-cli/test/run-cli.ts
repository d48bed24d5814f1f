import * as disk from 'node:fs/promises';
import { NOW } from '@workspace/release-catalogue/testing';
import type { WriterFiles } from '@workspace/release-catalogue';
import { runCli } from '../src/cli.ts';

/** Writes that do not wait for the disk, for tests that write much and survive no power cut. */
export const unsynced: WriterFiles = {
  ...disk,
  open: async (...args: Parameters<typeof disk.open>) =>
    Object.assign(await disk.open(...args), { sync: async () => undefined }),
};

export interface CliRun {
  readonly code: number;
  readonly out: string;
  readonly notes: string;
}

/** Runs the CLI in this process, at a fixed time. */
export const cli = async (
  folder: string,
  args: string[],
  more: { confirm?: (question: string) => Promise<boolean>; now?: Date; files?: WriterFiles } = {},
): Promise<CliRun> => {
  const out: string[] = [];
  const notes: string[] = [];
  const code = await runCli(args, {
    folder,
    version: '1.2.3',
    ...(more.files && { files: more.files }),
    now: more.now ?? NOW,
    terminal: {
      out: (line) => out.push(line),
      note: (line) => notes.push(line),
      colour: false,
      ...(more.confirm && { confirm: more.confirm }),
    },
  });
  return { code, out: out.join('\n'), notes: notes.join('\n') };
};
