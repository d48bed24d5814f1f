import type { Reloadable } from '@workspace/service-kit';
import { Registry } from 'prom-client';
import type { DatabaseInfo } from './application/location-database.ts';
import { createCacheMetrics, registerDatabaseMetrics } from './metrics.ts';

const info: DatabaseInfo = {
  types: [],
  provider: 'other',
  builtAt: new Date('2026-11-01T00:00:00Z'),
  fingerprint: '',
};

describe('the database metrics', () => {
  it('are those of the moment they are read', async () => {
    const registry = new Registry();
    const city: {
      -readonly [K in keyof Reloadable<{ info: DatabaseInfo }>]: Reloadable<{ info: DatabaseInfo }>[K];
    } = {
      current: undefined,
      lastLoad: { at: new Date(), outcome: 'missing', error: 'the file does not exist' },
    };
    registerDatabaseMetrics(registry, { city, asn: { current: { info }, lastLoad: undefined } });
    const before = await registry.metrics();
    expect(before).toContain('ip_locate_database_build_timestamp_seconds{database="asn"} 1793491200');
    expect(before).not.toContain('build_timestamp_seconds{database="city"}');
    expect(before).toContain('ip_locate_database_load_failed{database="city"} 1');
    city.current = { info };
    city.lastLoad = { at: new Date(), outcome: 'loaded' };
    const after = await registry.metrics();
    expect(after).toContain('ip_locate_database_build_timestamp_seconds{database="city"} 1793491200');
    expect(after).toContain('ip_locate_database_load_failed{database="city"} 0');
  });
});

describe('the cache metrics', () => {
  it('count hits and misses', async () => {
    const registry = new Registry();
    const onCacheLookup = createCacheMetrics(registry);
    expect(await registry.metrics()).toContain('ip_locate_cache_lookups_total{result="hit"} 0');
    for (const hit of [true, false, true]) onCacheLookup(hit);
    const text = await registry.metrics();
    expect(text).toContain('ip_locate_cache_lookups_total{result="hit"} 2');
    expect(text).toContain('ip_locate_cache_lookups_total{result="miss"} 1');
    expect(await registry.metrics()).toBe(text);
  });
});
