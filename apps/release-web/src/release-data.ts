#!/usr/bin/env node
import { join } from 'node:path';
import { createLogger } from '@workspace/logging';
import { CommandRejected, runProcess } from '@workspace/release-cli';
import { createDrain } from '@workspace/http-connections';
import { routesOf } from '@workspace/api-reference';
import { ConfigError, readConfig } from '@workspace/service-process';
import { releaseFolder } from './adapters/files/release-folder.ts';
import { buildApp } from './app.ts';
import type { OpenService } from './cli/command-option.ts';
import { Config } from './config.ts';
import { commandOptions } from './features-cli.ts';
import { options } from './features.ts';
import { SnapshotStore } from './http/rendering/snapshot-store.ts';
import { siteOf } from './http/site.ts';

/** The service as main.ts makes it, from the same settings, but with a clock that stands still and without a port. */
const openService: OpenService = async ({ folder, baseUrl, version, now }) => {
  const config = settings(baseUrl);
  const { catalogue } = await releaseFolder(folder).load({ now });
  const store = new SnapshotStore();
  const app = buildApp({
    // Each request would be a line.
    logger: createLogger({ name: 'release-data', level: 'error' }),
    drain: createDrain(),
    store,
    clock: () => now,
    version,
    data: () => ({ revision: catalogue.revision, isKept: false, violations: [] }),
    site: siteOf(config, { runtimeVersion: process.versions.node, version }, options),
    options,
  });
  store.replace(catalogue, now);
  return {
    catalogue,
    routes: routesOf(app),
    optionPaths: options.flatMap(({ exportedPaths }) => exportedPaths?.(catalogue) ?? []),
    get: async (url, headers = {}) => {
      const answer = await app.inject({ url, headers });
      return {
        status: answer.statusCode,
        headers: answer.headers as Record<string, string>,
        body: answer.rawPayload,
      };
    },
    close: () => app.close(),
  };
};

const settings = (baseUrl: string): Config => {
  try {
    return readConfig(Config, { ...process.env, PUBLIC_BASE_URL: baseUrl });
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandRejected(error.message);
    throw error;
  }
};

/** The folder of the built service, or the project when run from src/. */
const home = import.meta.dirname.endsWith('src') ? join(import.meta.dirname, '..') : import.meta.dirname;

const commands = commandOptions.map(({ name, command }) => [name, command(openService)] as const);
process.exitCode = await runProcess(process, home, new Date(), Object.fromEntries(commands));
