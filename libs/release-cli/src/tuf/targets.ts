import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Metadata, TargetFile, type Targets } from '@tufjs/models';
import { isImported } from '../import/exported-files.ts';
import { CommandRejected } from '../terminal.ts';
import { linkOrCopy } from './files.ts';
import type { Repository } from './repository.ts';

/** The digests of all files of an export. It is signed, and not each of the files: clients take minutes for so many. */
const CHECKSUMS = 'SHA256SUMS';
const LINE = /^([0-9a-f]{64}) {2}(.+)$/;

/**
 * What is signed of an export: the digests of all its files, its table of contents, and what `import` reads.
 * @throws CommandRejected when a file is another one than the export wrote
 */
export const targetFiles = async (exported: string): Promise<Record<string, TargetFile>> => {
  const checksums = await readFile(join(exported, CHECKSUMS), 'utf8').catch((error: unknown) => {
    throw new CommandRejected(`${exported} is not an export: ${(error as Error).message}`);
  });
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
  new TargetFile({ path, length: bytes.length, hashes: { sha256: sha256(bytes) } });

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

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
    if (!bytes || sha256(bytes) !== target.hashes['sha256'])
      throw new CommandRejected(`${file} is missing or altered: run \`tuf targets\` again.`);
  }
};
