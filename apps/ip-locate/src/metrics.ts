import type { Reloadable } from '@workspace/service-kit';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { DatabaseInfo } from './application/location-database.ts';

/** What operators need alerts on: how old the data is, and whether the newest files could be loaded. */
export function registerDatabaseMetrics(
  registry: Registry,
  databases: Readonly<Record<string, Reloadable<{ readonly info: DatabaseInfo }>>>,
): void {
  new Gauge({
    name: 'ip_locate_database_build_timestamp_seconds',
    help: 'When the database in use was built; absent without a database, or when it does not say',
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
    name: 'ip_locate_database_load_failed',
    help: '1 when the files were missing or rejected at the last attempt to load them',
    labelNames: ['database'],
    registers: [registry],
    collect() {
      for (const [database, { lastLoad }] of Object.entries(databases)) {
        this.set({ database }, lastLoad?.error === undefined ? 0 : 1);
      }
    },
  });
}

/** @returns what is told how each search for a host name ends that is not answered from memory */
export function createReverseDnsMetrics(registry: Registry): (result: string) => void {
  const searches = new Counter({
    name: 'ip_locate_reverse_dns_total',
    help: 'Searches for host names by reverse DNS: name, no name, failed, or skipped because too many were waiting',
    labelNames: ['result'],
    registers: [registry],
  });
  return (result) => searches.inc({ result });
}
