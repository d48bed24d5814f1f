import { Gauge, type Registry } from 'prom-client';
import type { DataStatus } from '../../application/catalogue-watcher.ts';

/**
 * What an operator wants to be alerted to: how old the served facts are, and whether newer ones are invalid.
 * @param source whether the facts came with the service, so that nothing renews them, or lie in DATA_DIR
 */
export const registerDataMetrics = (
  registry: Registry,
  source: 'bundled' | 'configured',
  status: () => DataStatus,
): void => {
  new Gauge({
    name: 'release_web_data_revision_timestamp_seconds',
    help: 'When the served facts last changed; 0 when there are none',
    labelNames: ['source'],
    registers: [registry],
    collect() {
      this.set({ source }, (status().revision?.getTime() ?? 0) / 1000);
    },
  });
  new Gauge({
    name: 'release_web_data_violations',
    help: 'Violations in data that is therefore not served; 0 when the newest data is served',
    registers: [registry],
    collect() {
      this.set(status().violations.length);
    },
  });
};
