import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidDataError, readCatalogue } from '@workspace/release-catalogue';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { testService } from '../test/service.ts';

const FILES_READER = 'libs/release-catalogue/src/files/read-catalogue.ts';
const FOLDER = join(import.meta.dirname, '../test/fixtures/data');
const NOW = new Date('2026-11-21T12:00:00Z');
const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

const FILES = ['product.json', 'news.json', 'accepted-findings.json'];
const BRANCHES = ['branches/4.0.json', 'branches/8.4.json', 'branches/8.5.json', 'branches/8.6.json'];
const texts = new Map([...FILES, ...BRANCHES].map((file) => [file, read(file)]));
const started = testService({}, { start: NOW.toISOString() });

const PATHS = [
  ...[
    '/releases/branches.php',
    '/releases/states.php',
    '/releases/active.php',
    '/releases/feed.php',
    '/releases/feed.json',
  ],
  ...[
    '/releases/index.php?json',
    '/releases/index.php?serialize&version=8&max=-1',
    '/releases/index.php',
    '/mirror-info.php',
  ],
  ...[
    '/pre-release-builds.php',
    '/pre-release-builds.php?format=serialize',
    '/pre-release-builds.php?only=dev_versions',
  ],
  ...[
    '/api/v1/branches',
    '/api/v1/branches/8.5',
    '/api/v1/releases?limit=3',
    '/api/v1/releases/latest',
    '/api/v1/pre-releases',
  ],
  ...[
    '/api/v1/support?version=8.4.1',
    '/api/v1/events',
    '/api/v1/schedule.ics',
    '/api/v1/timeline.svg',
    '/api/php.json',
    '/',
  ],
  ...['/releases/8.5/', '/releases/8_5_9.php', '/api/v1/releases/8.5.9'],
];

/** An input is the name of a file, and on the next lines what is in it; the other files are as they are. */
export const dataFiles: FuzzTarget = {
  name: 'data-files',
  property:
    'a data file is rejected with its name and the reason, or every page and answer can be made of it',
  seeds: [...BRANCHES, 'news.json', 'product.json'].map((file) => `${file}\n${read(file)}`),
  dictionary: [
    ...[
      'null',
      '[]',
      '{}',
      '"2026-02-30"',
      '"9999-12-31"',
      '"0000-01-01"',
      '2026-11-21T12:00:00Z',
      '"yanked":',
      '"8.5.10"',
      '-1',
    ],
    ...[
      '"rank":',
      '"security"',
      '"unrecorded"',
      '"overrides":{}',
      '"__proto__":',
      '"<script>"',
      '"\\u0000"',
      '"tags":[]',
      '1e21',
    ],
  ],
  mostBytes: 6_000,
  planted: [
    { file: FILES_READER, from: 'excerpt(error.value)', to: 'error.value.toString()' },
    {
      file: FILES_READER,
      from: 'if (check.Check(value)) return value',
      to: 'if (value.branch) return value',
    },
  ],
  check: async (input) => {
    const end = input.indexOf('\n');
    const name = input.subarray(0, Math.max(end, 0)).toString();
    const file = texts.has(name) ? name : 'branches/8.5.json';
    let loaded;
    try {
      loaded = readCatalogue(new Map([...texts, [file, input.subarray(end + 1).toString()]]), { now: NOW });
    } catch (error) {
      if (!(error instanceof InvalidDataError)) throw error;
      assert(error.violations.length > 0);
      for (const violation of error.violations) {
        assert(texts.has(violation.file) || violation.file === 'branches', violation.file);
        assert(violation.detail.length > 0 && violation.rule.length > 0);
      }
      return;
    }
    const { app, store } = await started;
    store.replace(loaded.catalogue, NOW);
    for (const path of PATHS) {
      const answer = await app.inject(path);
      assert(answer.statusCode < 500, `${path}: ${answer.statusCode} ${answer.body}`);
      if (/json/.test(answer.headers['content-type'] ?? ''))
        assert.doesNotThrow(() => JSON.parse(answer.body));
    }
  },
};
