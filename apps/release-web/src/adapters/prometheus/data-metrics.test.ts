import { Registry } from 'prom-client';
import { registerDataMetrics } from './data-metrics.ts';

describe('the metrics of the data', () => {
  it('follow the status when they are asked for', async () => {
    const registry = new Registry();
    let count = 0;
    registerDataMetrics(registry, 'bundled', () => ({
      revision: new Date('2026-08-13T00:00:00Z'),
      isKept: false,
      violations: Array.from({ length: count }, () => ({
        rule: 'json',
        severity: 'error' as const,
        file: 'x',
        pointer: '',
        subject: 'x',
        detail: 'x',
      })),
    }));
    expect(await registry.metrics()).toContain(
      'release_web_data_revision_timestamp_seconds{source="bundled"} 1786579200',
    );
    expect(await registry.metrics()).toContain('release_web_data_violations 0');
    count = 2;
    expect(await registry.metrics()).toContain('release_web_data_violations 2');
  });
});
