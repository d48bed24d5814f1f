import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Health } from '@workspace/schemas';
import { captureLogger } from '@workspace/testing';
import { openCityDatabase } from '../src/adapters/mmdb/city-database.ts';
import { WatchedFiles } from '@workspace/service-process';
import type { LocationDatabase } from '../src/application/location-database.ts';
import { fixed, testApp } from './app.ts';
import { asnMmdb, cityMmdb, DAY, EPOCH, munich, NOW } from './databases.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ip-locate-'));
  path = join(folder, 'City.mmdb');
});
afterEach(() => rmSync(folder, { recursive: true }));

const watch = (
  open: (files: Parameters<typeof openCityDatabase>[0]) => Promise<LocationDatabase> = openCityDatabase,
) => {
  const { logger, lines } = captureLogger();
  return {
    files: new WatchedFiles({ name: 'city database', paths: [path], open, logger, clock: () => NOW }),
    lines,
  };
};

/** The service on a file that changes. */
const service = async () => {
  const { files } = watch();
  await files.refresh();
  const { app } = await testApp({ locations: files });
  const health = async () => {
    const reply = await app.inject('/health');
    return reply.json<Health>();
  };
  const city = async (ip = '80.1.2.3') => {
    const reply = await app.inject(`/${ip}/json/`);
    return reply.statusCode === 200 ? reply.json<{ city: string }>().city : reply.statusCode;
  };
  return { app, files, health, city };
};

const other = () =>
  cityMmdb({ epoch: EPOCH + DAY, entries: [['80.0.0.0/8', { city: { names: { en: 'Newtown' } } }]] });

describe('replacing the file under a running service', () => {
  it('a newer one takes over, and no answer made ready before survives', async () => {
    writeFileSync(path, cityMmdb());
    const { app, files, health, city } = await service();
    expect([await city(), await city('81.0.0.1')]).toEqual(['Munich', 'Village 0']);
    const before = (await app.inject('/80.1.2.3/json/')).headers;
    writeFileSync(`${path}.new`, other());
    renameSync(`${path}.new`, path);
    await files.refresh();
    expect([await city(), await city('81.0.0.1')]).toEqual(['Newtown', null]);
    const after = (await app.inject('/80.1.2.3/json/')).headers;
    expect([before['x-database-date'], after['x-database-date']]).toEqual(['2026-11-01', '2026-11-02']);
    expect(after['etag']).not.toBe(before['etag']);
    expect(await health()).toMatchObject({
      status: 'pass',
      checks: { 'database:city': [{ lastLoad: { outcome: 'loaded' } }] },
    });
  });

  it('one of the same type, date and size is other data, too', async () => {
    const renamed = (name: string) =>
      cityMmdb({ entries: [['80.0.0.0/8', { city: { names: { en: name } } }]] });
    writeFileSync(path, renamed('Newtown'));
    const { app, files } = await service();
    const ask = (etag: unknown) =>
      app.inject({ url: '/80.1.2.3/city/', headers: { 'if-none-match': String(etag) } });
    const before = await ask('');
    writeFileSync(path, renamed('Oldtown'));
    await files.refresh(true);
    const after = await ask(before.headers['etag']);
    expect([before.body, after.statusCode, after.body]).toEqual(['Newtown', 200, 'Oldtown']);
    await files.refresh(true);
    expect((await ask(after.headers['etag'])).statusCode).toBe(304);
  });

  it.each([
    ['an ASN database', asnMmdb, 'a database of type "GeoLite2-ASN" has no locations'],
    ['nothing', undefined, 'the file does not exist'],
  ] as const)(
    '%s leaves the previous version in use, and /health says why',
    async (_name, content, error) => {
      writeFileSync(path, cityMmdb());
      const { files, health, city } = await service();
      rmSync(path);
      if (content) writeFileSync(path, content());
      await files.refresh();
      expect([await city(), await city('81.0.0.1')]).toEqual(['Munich', 'Village 0']);
      const outcome = content ? 'rejected' : 'missing';
      expect(await health()).toMatchObject({
        status: 'warn',
        checks: {
          'database:city': [
            { status: 'warn', output: error, lastLoad: { outcome, error, at: NOW.toISOString() } },
          ],
        },
      });
      expect(JSON.stringify(await health())).not.toContain(folder);
      writeFileSync(path, other());
      await files.refresh();
      expect(await city()).toBe('Newtown');
      expect(await health()).toMatchObject({ status: 'pass' });
    },
  );

  it('a start without a file answers 503 until there is one', async () => {
    const { app, files, health, city } = await service();
    expect([await city(), await city('10.0.0.1')]).toEqual([503, 503]);
    const unavailable = await app.inject('/80.1.2.3/json/');
    expect(unavailable.headers['retry-after']).toBe('60');
    expect(unavailable.json()).toMatchObject({ error: true, type: 'urn:problem-type:no-database' });
    expect(await health()).toMatchObject({
      status: 'fail',
      checks: { 'database:city': [{ output: 'the file does not exist' }] },
    });
    expect((await app.inject('/health')).statusCode).toBe(503);
    writeFileSync(path, cityMmdb());
    await files.refresh();
    expect(await city()).toBe('Munich');
  });
});

describe('/health', () => {
  const health = async (epoch: number | bigint) => {
    const bytes = cityMmdb({ epoch, entries: [['80.0.0.0/8', munich]] });
    const locations = fixed(await openCityDatabase([{ name: 'x', bytes }]));
    const { app } = await testApp({ locations });
    const body = (await app.inject('/health')).json<Health>();
    return body;
  };

  it('is pass for data of the month', async () => {
    expect(await health(EPOCH)).toMatchObject({
      status: 'pass',
      version: '1.2.3',
      checks: {
        'database:city': [
          {
            status: 'pass',
            observedValue: 20,
            observedUnit: 'days',
            stale: false,
            types: ['GeoLite2-City'],
            builtAt: '2026-11-01T00:00:00.000Z',
          },
        ],
        'database:asn': [{ status: 'pass' }],
        uptime: [{ status: 'pass', observedValue: 0 }],
      },
    });
  });

  it('warns of data older than 45 days', async () => {
    expect(await health(EPOCH - 25 * DAY)).toMatchObject({ status: 'pass' });
    expect(await health(EPOCH - 26 * DAY)).toMatchObject({
      status: 'warn',
      checks: { 'database:city': [{ stale: true }] },
    });
  });

  it('warns of data dated more than a day ahead: it would never be old', async () => {
    const now = NOW.getTime() / 1000;
    expect(await health(now + DAY)).toMatchObject({ status: 'pass' });
    expect(await health(now + DAY + 1)).toMatchObject({
      status: 'warn',
      checks: {
        'database:city': [
          {
            status: 'warn',
            observedValue: -2,
            stale: false,
            output: 'the data is dated in the future',
          },
        ],
      },
    });
  });

  it('survives an invalid build date', async () => {
    expect(await health(2n ** 63n)).toMatchObject({
      status: 'warn',
      checks: { 'database:city': [{ builtAt: null, stale: true, observedValue: null }] },
    });
  });
});

it.each(['/health/live', '/health/ready'])('%s answers for orchestrators', async (path) => {
  const { app } = await testApp();
  const reply = await app.inject(path);
  expect([reply.statusCode, reply.headers['cache-control']]).toEqual([200, 'no-store']);
});
