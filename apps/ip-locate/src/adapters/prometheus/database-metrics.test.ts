import type { Reloadable } from '@workspace/service-process';
import { Registry } from 'prom-client';
import type { DatabaseInfo } from '../../application/location-database.ts';
import { registerDatabaseMetrics } from './database-metrics.ts';

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
    registerDatabaseMetrics(registry, { city, asn: { current: { info }, lastLoad: undefined } }, ['asn']);
    const before = await registry.metrics();
    expect(before).toContain(
      'ip_locate_database_build_timestamp_seconds{database="asn",source="bundled"} 1793491200',
    );
    expect(before).not.toContain('build_timestamp_seconds{database="city"');
    expect(before).toContain('ip_locate_database_load_failed{database="city"} 1');
    city.current = { info };
    city.lastLoad = { at: new Date(), outcome: 'loaded' };
    const after = await registry.metrics();
    expect(after).toContain(
      'ip_locate_database_build_timestamp_seconds{database="city",source="configured"} 1793491200',
    );
    expect(after).toContain('ip_locate_database_load_failed{database="city"} 0');
  });

  it('say of other files whether the newest could be loaded', async () => {
    const registry = new Registry();
    const rejected = { at: new Date(), outcome: 'rejected', error: 'rules, line 2: …' } as const;
    registerDatabaseMetrics(registry, {}, [], { rules: { current: {}, lastLoad: rejected } });
    const metrics = await registry.metrics();
    expect(metrics).toContain('ip_locate_database_load_failed{database="rules"} 1');
    expect(metrics).not.toContain('build_timestamp_seconds{');
  });
});
