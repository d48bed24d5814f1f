import { hash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { type Metadata, TargetFile, type Targets } from '@tufjs/models';
import { isImported } from '../import/exported-files.ts';
import { CommandRejected, rejection } from '../terminal.ts';
import { linkOrCopy, type Repository } from './repository.ts';

/** The digests of all files of an export. It is signed, and not each of the files: clients take minutes for so many. */
const CHECKSUMS = 'SHA256SUMS';
const LINE = /^([0-9a-f]{64}) {2}(.+)$/;

/**
 * What is signed of an export: the digests of all its files, its table of contents, and what `import` reads.
 * @throws CommandRejected when a file is another one than the export wrote
 */
export const targetFiles = async (exported: string): Promise<Record<string, TargetFile>> => {
  const checksums = await readFile(join(exported, CHECKSUMS), 'utf8').catch(
    rejection((why) => `${exported} is not an export: ${why}`),
  );
  const targets = [targetFile(CHECKSUMS, Buffer.from(checksums))];
  for (const line of checksums.split('\n')) {
    const [, digest, path] = LINE.exec(line) ?? [];
    if (path === undefined || (path !== 'export.json' && !isImported(path))) continue;
    const target = targetFile(path, await readFile(join(exported, path)));
    if (target.hashes['sha256'] !== digest)
      throw new CommandRejected(`${exported}/${path} is not what ${CHECKSUMS} says: export again.`);
    targets.push(target);
  }
  return Object.fromEntries(targets.map((target) => [target.path, target]));
};

const targetFile = (path: string, bytes: Buffer): TargetFile =>
  new TargetFile({ path, length: bytes.length, hashes: { sha256: hash('sha256', bytes) } });

/** Where clients find a target: below `targets/`, its name begins with its digest. */
export const fileOfTarget = ({ path, hashes }: TargetFile): string =>
  join(dirname(path), `${hashes['sha256']}.${basename(path)}`);

/** Puts the targets beside older ones. */
export const linkTargets = async (
  repository: Repository,
  exported: string,
  { signed }: Metadata<Targets>,
): Promise<void> => {
  for (const target of Object.values(signed.targets))
    await linkOrCopy(join(exported, target.path), join(repository.folder, 'targets', fileOfTarget(target)));
};

/** @throws CommandRejected when a client would not find a target as it is signed */
export const requireTargets = async (
  repository: Repository,
  { signed }: Metadata<Targets>,
): Promise<void> => {
  for (const target of Object.values(signed.targets)) {
    const file = join(repository.folder, 'targets', fileOfTarget(target));
    const bytes = await readFile(file).catch(() => undefined);
    if (!bytes || hash('sha256', bytes) !== target.hashes['sha256'])
      throw new CommandRejected(`${file} is missing or altered: run \`tuf targets\` again.`);
  }
};

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
