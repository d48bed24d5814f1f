import type { Reloadable } from '@workspace/service-kit';
import { Gauge, type Registry } from 'prom-client';
import type { DataInfo } from '../domain/locator.ts';

/** What an operator wants an alarm on: how old the data is, and whether newer files are refused. */
export function registerDataMetrics(
  registry: Registry,
  databases: Readonly<Record<string, Reloadable<{ readonly info: DataInfo }>>>,
): void {
  new Gauge({
    name: 'ip_locate_database_build_timestamp_seconds',
    help: 'When the open data was built; absent without data, or when it does not say',
    labelNames: ['database'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [database, { current }] of Object.entries(databases)) {
        const builtAt = current?.info.builtAt;
        if (builtAt) this.set({ database }, builtAt.getTime() / 1000);
      }
    },
  });
  new Gauge({
    name: 'ip_locate_database_refused',
    help: '1 when the last look at the files found none, or none that may be used',
    labelNames: ['database'],
    registers: [registry],
    collect() {
      for (const [database, { lastLoad }] of Object.entries(databases)) {
        this.set({ database }, lastLoad?.error === undefined ? 0 : 1);
      }
    },
  });
}
