import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fetcher, Updater, type UpdaterOptions } from 'tuf-js';
import { DownloadHTTPError } from 'tuf-js/dist/error.js';
import { bytesOf, httpRequest, RequestFailed } from '@workspace/http-client';
import { replaceFile } from '@workspace/release-catalogue';
import { CommandRejected } from '../terminal.ts';
import { ROLES } from '../tuf/repository.ts';
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
  const first = join(state, 'first-root.json');
  const isKnown = await isFile(first);
  if (isKnown && !(await readFile(first)).equals(await readFile(root)))
    throw new CommandRejected(`${state} began with another root: remove it to begin again with ${root}.`);
  const rejected = (what: string) => (error: unknown) => {
    if (error instanceof CommandRejected) throw error;
    if (error instanceof RequestFailed) throw new CommandRejected(error.message, { cause: error });
    const { name, message } = error as Error;
    throw new CommandRejected(`${what}: ${name}: ${message}`, { cause: error });
  };
  // tuf-js writes metadata in place: on a full disk, half a root would block all later runs.
  const metadataDir = await mkdtemp(join(tmpdir(), 'tuf-'));
  const newUpdater = (options: UpdaterOptions): Updater => {
    try {
      return new Updater(options);
    } catch (error) {
      throw new CommandRejected(`${root} is not the root of a TUF repository.`, { cause: error });
    }
  };
  const refreshed = async (): Promise<Updater> => {
    const one = newUpdater({
      metadataDir,
      metadataBaseUrl: `${base}/metadata`,
      targetDir,
      targetBaseUrl: `${base}/targets`,
      fetcher,
    });
    await one.refresh();
    return one;
  };
  let updater: Updater;
  try {
    await copyFile(root, join(metadataDir, 'root.json'));
    if (isKnown) await copyMetadata(state, metadataDir);
    updater = await refreshed()
      .catch(rejected(base))
      .finally(() => copyMetadata(metadataDir, state));
    if (!isKnown) await replaceFile(first, await readFile(root));
  } finally {
    await rm(metadataDir, { recursive: true });
  }
  return async (target) => {
    const info = await updater.getTargetInfo(target).catch(rejected(target));
    if (!info) throw new CommandRejected(`${base} has no file ${target}.`);
    return (
      (await updater.findCachedTarget(info)) ?? (await updater.downloadTarget(info).catch(rejected(target)))
    );
  };
};

/** Any file arrives at this rate; a server that sends a byte now and then would hold the command for ever. */
const PACE = { timeoutMs: 30_000, minBytesPerSecond: 10_000 };

const downloadBytes = (url: string, maxBytes: number): Promise<Buffer> =>
  httpRequest(url, { maxBytes, ...PACE }, async ({ status, body }) => {
    // tuf-js takes 403 and 404 for the end of the roots.
    if (status !== 200) throw new DownloadHTTPError(`${url}: status ${status}`, status);
    return bytesOf(body);
  });

const fetcher: Fetcher = {
  downloadBytes,
  async downloadFile(url, maxBytes, handle) {
    const folder = await mkdtemp(join(tmpdir(), 'tuf-'));
    try {
      const file = join(folder, 'target');
      await writeFile(file, await downloadBytes(url, maxBytes));
      return await handle(file);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

/** Reads the answers of a signed export, as `import` needs them. */
export const tufReader = async (address: string, root: string, state: string): Promise<ReadPath> => {
  const fetchTarget = await tufFetcher(address, root, state);
  return async (path) => JSON.parse(await readFile(await fetchTarget(exportedFile(path)), 'utf8')) as unknown;
};

/** Copies each file of metadata that is whole, in one step. */
const copyMetadata = async (from: string, to: string): Promise<void> => {
  for (const role of ROLES) {
    const bytes = await readFile(join(from, `${role}.json`)).catch(() => undefined);
    if (bytes && isJson(bytes)) await replaceFile(join(to, `${role}.json`), bytes);
  }
};

const isJson = (bytes: Buffer): boolean => {
  try {
    return Boolean(JSON.parse(bytes.toString()));
  } catch {
    return false;
  }
};

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
