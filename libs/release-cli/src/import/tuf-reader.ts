import { copyFile, mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Updater } from 'tuf-js';
import { replaceFile } from '@workspace/release-catalogue';
import { CommandRejected } from '../terminal.ts';
import { exportedFile } from './exported-files.ts';
import type { ReadPath } from './published-site.ts';

/** @returns the path of a copy of a target, which is as it was signed */
type FetchTarget = (target: string) => Promise<string>;

/**
 * Fetches files of a signed export: only those that the signatures of its TUF repository name, whoever delivers them.
 * @param address of the folder with `metadata/` and `targets/`
 * @param root the trusted root, for the first time; later ones follow from it
 * @param state where copies are put and what was seen is kept, so that an older state is rejected
 */
export const tufFetcher = async (address: string, root: string, state: string): Promise<FetchTarget> => {
  const base = address.replace(/\/+$/, '');
  const targetDir = join(state, 'targets');
  await mkdir(targetDir, { recursive: true });
  const trusted = join(state, 'root.json');
  const first = join(state, 'first-root.json');
  const isKnown = await isFile(first);
  if (!isKnown) await copyFile(root, trusted);
  else if (!(await readFile(first)).equals(await readFile(root)))
    throw new CommandRejected(`${state} began with another root: remove it to begin again with ${root}.`);
  const rejected = (what: string) => (error: unknown) => {
    const { name, message } = error as Error;
    throw new CommandRejected(`${what}: ${name}: ${message}`, { cause: error });
  };
  let updater: Updater;
  try {
    updater = new Updater({
      metadataDir: state,
      metadataBaseUrl: `${base}/metadata`,
      targetDir,
      targetBaseUrl: `${base}/targets`,
    });
    await updater.refresh();
    if (!isKnown) await replaceFile(first, await readFile(root));
  } catch (error) {
    return rejected(base)(error);
  }
  return async (target) => {
    const info = await updater.getTargetInfo(target).catch(rejected(target));
    if (!info) throw new CommandRejected(`${base} has no file ${target}.`);
    return (
      (await updater.findCachedTarget(info)) ?? (await updater.downloadTarget(info).catch(rejected(target)))
    );
  };
};

/** Reads the answers of a signed export, as `import` needs them. */
export const tufReader = async (address: string, root: string, state: string): Promise<ReadPath> => {
  const fetchTarget = await tufFetcher(address, root, state);
  return async (path) => JSON.parse(await readFile(await fetchTarget(exportedFile(path)), 'utf8')) as unknown;
};

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
