import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface Verdict {
  readonly isLegal: boolean;
  /** what the checker printed */
  readonly report: string;
}

/** Judges a history in a file; rejects when it cannot be read. */
export type Judge = (history: string) => Promise<Verdict>;

/**
 * Builds the checker, with Porcupine from its Go module.
 * @param folder for the program
 */
export const buildJudge = (folder: string): Judge => {
  const checker = join(folder, 'history-checker');
  const cwd = join(import.meta.dirname, 'checker');
  const built = spawnSync('go', ['build', '-buildvcs=false', '-o', checker, '.'], { cwd, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`go build: ${built.error?.message ?? built.stderr}`);
  return async (history) => {
    const program = spawn(checker, [history], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [report, complaint, [status]] = await Promise.all([
      text(program.stdout),
      text(program.stderr),
      once(program, 'close') as Promise<[number | null]>,
    ]);
    if (status !== 0 && status !== 1) throw new Error(complaint);
    return { isLegal: status === 0, report };
  };
};
