import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAddress } from '@workspace/ip-addresses';
import { systemClock, WatchedFiles } from '@workspace/service-kit';
import { captureLogger } from '@workspace/testing';
import { openCityDatabase } from '../src/adapters/mmdb/city-database.ts';
import type { LocationDatabase } from '../src/application/location-database.ts';
import { cityMmdb } from './databases.ts';

const TOWNS = 200;
const CUTS = 150;

/** Files of several versions differ in every record and in nothing else: any mixture of them can be read. */
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
  const files = new WatchedFiles({
    name: 'city database',
    paths: [path],
    open: openCityDatabase,
    quietMs: 200,
    logger,
    clock: systemClock,
  });
  await files.refresh();
  const seen = [versionsIn(files.current!)];

  const file = openSync(path, 'r+');
  let isWritten = false;
  const write = async (): Promise<void> => {
    const step = Math.ceil(after.length / CUTS);
    for (let at = 0; at < after.length; at += step) {
      writeSync(file, after, at, Math.min(step, after.length - at), at);
      await sleep(10);
    }
    closeSync(file);
    isWritten = true;
  };
  const writing = write();
  while (!isWritten) {
    await files.refresh();
    seen.push(versionsIn(files.current!));
  }
  await writing;
  await files.refresh();
  seen.push(versionsIn(files.current!));
  rmSync(folder, { recursive: true });
  expect([...new Set(seen.map(String))]).toEqual(['Old', 'New']);
});
