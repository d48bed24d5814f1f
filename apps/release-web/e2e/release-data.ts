import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { builtFile } from '@workspace/testing';

/** The publishing command as it is shipped: in the built output and in the image. */
export const RELEASE_DATA = builtFile('release-web', 'release-data.js');

/** Runs the shipped publishing command as a process of its own. */
export const runReleaseData = async (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; out: string; notes: string }> => {
  const child = spawn(process.execPath, [RELEASE_DATA, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, notes, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: code as number | null, out, notes };
};
