import { closeSync, futimesSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAddress } from '@workspace/ip-addresses';
import { WatchedFiles } from '@workspace/service-process';
import { captureLogger } from '@workspace/testing';
import { openCityDatabase } from '../src/adapters/mmdb/city-database.ts';
import type { LocationDatabase } from '../src/application/location-database.ts';
import { cityMmdb } from './databases.ts';

const TOWNS = 200;
const CUTS = 150;
/** By the clock of this test, which goes on by a millisecond at each reading; in every third one, the file is written to. */
const QUIET_MS = 4;

/** Files of several versions differ in every entry and in nothing else: any mixture of them can be read. */
const version = (name: string): Buffer =>
  cityMmdb({
    entries: Array.from({ length: TOWNS }, (_, n) => [
      `81.${n}.0.0/16`,
      {
        city: { names: { en: `${name} city ${n}` } },
        subdivisions: [{ names: { en: `${name} region ${n}` } }],
        country: { iso_code: 'DE', names: { en: 'Germany' } },
      },
    ]),
  });

/** Each of these versions has given an answer, or a part of one. */
const versionsIn = (database: LocationDatabase): string[] => {
  const names = Array.from({ length: TOWNS }, (_, n) => {
    const { location } = database.find(parseAddress(`81.${n}.1.2`)!, 'en');
    return [location.city, location.region].map((text) => text?.replace(/ (city|region) \d+$/, ''));
  });
  return [...new Set(names.flat().map(String))];
};

it('serves no mixture of two versions while a file is slowly overwritten in place', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ip-locate-'));
  const path = join(folder, 'City.mmdb');
  const [before, after] = [version('Old'), version('New')];
  expect(after).toHaveLength(before.length);
  writeFileSync(path, before);
  const { logger } = captureLogger();
  const file = openSync(path, 'r+');
  const step = Math.ceil(after.length / CUTS);
  let time = Date.now();
  let at = after.length;
  const clock = (): Date => {
    time += 1;
    if (time % 3 === 0 && at < after.length) {
      at += writeSync(file, after, at, Math.min(step, after.length - at), at);
      futimesSync(file, time / 1_000, time / 1_000);
    }
    return new Date(time);
  };
  futimesSync(file, 0, 0);
  const files = new WatchedFiles({
    name: 'city database',
    paths: [path],
    open: openCityDatabase,
    quietMs: QUIET_MS,
    logger,
    clock,
  });
  await files.refresh();
  const seen = [versionsIn(files.current!)];

  at = 0;
  while (at < after.length) {
    await files.refresh();
    seen.push(versionsIn(files.current!));
  }
  while (seen.at(-1)?.[0] === 'Old') {
    await files.refresh();
    seen.push(versionsIn(files.current!));
  }
  closeSync(file);
  rmSync(folder, { recursive: true });
  expect([...new Set(seen.map(String))]).toEqual(['Old', 'New']);
});
