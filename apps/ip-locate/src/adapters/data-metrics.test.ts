import { Registry } from 'prom-client';
import type { DataInfo, Source } from '../domain/locator.ts';
import { registerDataMetrics } from './data-metrics.ts';

const info: DataInfo = {
  types: [],
  provider: 'other',
  builtAt: new Date('2026-11-01T00:00:00Z'),
  fingerprint: '',
};

describe('the metrics of the data', () => {
  it('follow each database when they are asked for', async () => {
    const registry = new Registry();
    const city: { -readonly [K in keyof Source<{ info: DataInfo }>]: Source<{ info: DataInfo }>[K] } = {
      current: undefined,
      lastReload: { at: new Date(), outcome: 'missing', fault: 'the file is not there' },
    };
    registerDataMetrics(registry, { city, asn: { current: { info }, lastReload: undefined } });
    const before = await registry.metrics();
    expect(before).toContain('ip_locate_database_build_timestamp_seconds{database="asn"} 1793491200');
    expect(before).not.toContain('build_timestamp_seconds{database="city"}');
    expect(before).toContain('ip_locate_database_refused{database="city"} 1');
    city.current = { info };
    city.lastReload = { at: new Date(), outcome: 'loaded' };
    const after = await registry.metrics();
    expect(after).toContain('ip_locate_database_build_timestamp_seconds{database="city"} 1793491200');
    expect(after).toContain('ip_locate_database_refused{database="city"} 0');
  });
});
