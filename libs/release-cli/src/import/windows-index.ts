import { readFile } from 'node:fs/promises';
import { Value } from '@sinclair/typebox/value';
import { branchOf, WindowsBuilds } from '@workspace/release-catalogue';
import { readJson } from '../http-json.ts';
import { CommandRejected } from '../terminal.ts';

/**
 * The builds of a version in an index like https://downloads.php.net/~windows/releases/releases.json, which has the newest
 * release of each branch.
 * @param index a file or an address
 * @throws CommandRejected when it lacks the version, or has it in a shape that the data has no room for
 */
export const readWindowsBuilds = async (index: string, version: string): Promise<WindowsBuilds> => {
  const entry = ((await readIndex(index)) as Record<string, unknown> | null)?.[branchOf(version)];
  const { version: listed, source, test_pack, ...builds } = (entry ?? {}) as Record<string, unknown>;
  if (listed !== version) {
    const found = typeof listed === 'string' ? `has ${listed} of this branch` : 'has nothing of this branch';
    throw new CommandRejected(`${index} lacks ${version}: it ${found}.`);
  }
  const found = {
    ...(source !== undefined && { source }),
    ...(test_pack !== undefined && { test_pack }),
    builds,
  };
  if (Value.Check(WindowsBuilds, found)) return found;
  const first = Value.Errors(WindowsBuilds, found).First();
  throw new CommandRejected(`${index}: ${version} ${first?.path}: ${first?.message}`);
};

const readIndex = async (index: string): Promise<unknown> => {
  if (/^https?:\/\//.test(index)) return readJson(index);
  try {
    return JSON.parse(await readFile(index, 'utf8')) as unknown;
  } catch (error) {
    throw new CommandRejected(`${index} cannot be read: ${(error as Error).message}`, { cause: error });
  }
};
