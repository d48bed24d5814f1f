import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captureLogger } from '@workspace/testing';
import type { BranchFile, Catalogue } from '@workspace/release-catalogue';
import { lastValidFile } from '../src/adapters/files/last-valid-file.ts';
import { releaseFolder } from '../src/adapters/files/release-folder.ts';
import {
  type CatalogueWatcher,
  openCatalogue,
  watchCatalogue,
} from '../src/application/catalogue-watcher.ts';
import { buildApp } from '../src/app.ts';
import { SnapshotStore } from '../src/http/rendering/snapshot-store.ts';
import { Config } from '../src/config.ts';
import { options } from '../src/features.ts';
import { siteOf } from '../src/http/site.ts';
import { createDrain, type Drain } from '@workspace/http-connections';
import { readConfig } from '@workspace/service-process';

export const FIXTURE = join(import.meta.dirname, 'fixtures/data');

const folders: string[] = [];

/** A copy of the fixture that a test may spoil, removed after the tests of a file. */
export const copyOfFixture = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'release-web-'));
  folders.push(folder);
  await cp(FIXTURE, folder, { recursive: true });
  return folder;
};

/** Edits a file of a folder of data: one of a branch by its name, else `product` or `news`. */
export const editData = async <T = BranchFile>(
  folder: string,
  name: string,
  edit: (data: T) => unknown,
): Promise<void> => {
  const path = join(folder, /^\d/.test(name) ? 'branches' : '', `${name}.json`);
  const data = JSON.parse(await readFile(path, 'utf8')) as T;
  edit(data);
  await writeFile(path, JSON.stringify(data));
};

/** A clock that stands still until it is set. */
export const settableClock = (start: string) => {
  let now = new Date(start);
  return { clock: () => now, set: (instant: string) => (now = new Date(instant)) };
};

export interface TestService {
  app: ReturnType<typeof buildApp>;
  drain: Drain;
  watcher: CatalogueWatcher;
  store: SnapshotStore;
  lines: Record<string, unknown>[];
  set: (instant: string) => Date;
}

export interface TestServiceOptions {
  readonly start?: string;
  readonly folder?: string;
  /** where the last valid data is kept */
  readonly cache?: string;
}

const apps: TestService['app'][] = [];
// Fuzz targets run without Jest.
if ('afterAll' in globalThis)
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });

/** The service as main.ts puts it together, with a clock of its own and no port. It looks for new data on request, and is closed after the tests of a file. */
export const testService = async (
  env: Record<string, string> = {},
  { start = '2026-11-21T12:00:00Z', folder = FIXTURE, cache }: TestServiceOptions = {},
): Promise<TestService> => {
  const config = readConfig(
    Config,
    // The fixture is as old as it is, whatever the clock says.
    { PUBLIC_BASE_URL: 'https://releases.example', DATA_STALE_DAYS: '100000', ...env },
  );
  const { logger, lines } = captureLogger();
  const { clock, set } = settableClock(start);
  const site = siteOf(config, { runtimeVersion: process.versions.node, version: '1.2.3' }, options);
  const facts = releaseFolder(folder);
  const store = new SnapshotStore();
  const drain = createDrain();
  const app = buildApp({
    logger,
    drain,
    store,
    clock,
    version: '1.2.3',
    strictProblems: true,
    data: () => watcher.status(),
    site,
    options,
  });
  apps.push(app);
  const sources = {
    facts,
    lastValid: cache === undefined ? undefined : lastValidFile(cache, facts.source),
    logger,
    serve: (catalogue: Catalogue) => store.replace(catalogue, clock()),
  };
  const opened = await openCatalogue(sources);
  const watcher = watchCatalogue({ ...sources, opened, clock });
  return { app, drain, watcher, store, lines, set };
};
