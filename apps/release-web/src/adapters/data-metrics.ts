import { Gauge, type Registry } from 'prom-client';
import type { DataStatus } from '../domain/data-status.ts';

/** What an operator wants an alarm on: how old the served facts are, and whether newer ones are faulty. */
export const registerDataMetrics = (registry: Registry, status: () => DataStatus): void => {
  new Gauge({
    name: 'release_web_data_revision_timestamp_seconds',
    help: 'When the facts that are served last changed',
    registers: [registry],
    collect() {
      this.set(status().revision.getTime() / 1000);
    },
  });
  new Gauge({
    name: 'release_web_data_faults',
    help: 'Faults of newer data that is therefore not served; 0 is well',
    registers: [registry],
    collect() {
      this.set(status().faults.length);
    },
  });
};
