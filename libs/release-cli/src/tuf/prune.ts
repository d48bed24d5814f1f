import { readdir, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Metadata, Targets } from '@tufjs/models';
import type { Repository } from './repository.ts';
import { fileOfTarget } from './targets.ts';

/**
 * Removes what no client can use any more: snapshots that have expired, lists of targets that no other snapshot names, and
 * targets that are on no other list. Roots stay, as a client follows all of them.
 * @returns how many files
 */
export const prune = async (repository: Repository, now: Date): Promise<number> => {
  const targetFolder = join(repository.folder, 'targets');
  // Before what is staged is read: the targets of a list that is staged meanwhile are not in it.
  const files = await filesBelow(targetFolder);
  const staged = await repository.staged('targets');
  const removed: string[] = [];

  const named = new Set<number>();
  const snapshots = await repository.versions('snapshot');
  for (const version of snapshots) {
    const snapshot = await repository.read('snapshot', version);
    if (version === snapshots.at(-1) || Date.parse(snapshot.signed.expires) > now.getTime())
      named.add(snapshot.signed.meta['targets.json']!.version);
    else removed.push(repository.metadataFile('snapshot', version));
  }
  const kept: Metadata<Targets>[] = staged ? [staged] : [];
  for (const version of await repository.versions('targets')) {
    if (named.has(version) || version > Math.max(...named))
      kept.push(await repository.read('targets', version));
    else removed.push(repository.metadataFile('targets', version));
  }
  const keptFiles = new Set(kept.flatMap(({ signed }) => Object.values(signed.targets).map(fileOfTarget)));
  removed.push(...files.filter((file) => !keptFiles.has(relative(targetFolder, file))));
  for (const file of removed) await rm(file, { force: true });
  return removed.length;
};

const filesBelow = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
};
