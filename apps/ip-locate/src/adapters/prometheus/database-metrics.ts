import type { Reloadable } from '@workspace/service-process';
import { Gauge, type Registry } from 'prom-client';
import type { DatabaseInfo } from '../../application/location-database.ts';

/**
 * What operators need alerts on: how old the data is, and whether the newest files could be loaded.
 * @param bundled names of the databases that came with the service, which nothing renews
 * @param others files that have no date of their own, such as rules
 */
export const registerDatabaseMetrics = (
  registry: Registry,
  databases: Readonly<Record<string, Reloadable<{ readonly info: DatabaseInfo }>>>,
  bundled: readonly string[],
  others: Readonly<Record<string, Reloadable<object>>> = {},
): void => {
  new Gauge({
    name: 'ip_locate_database_build_timestamp_seconds',
    help: 'When the database in use was built; absent without a database, or when it does not say',
    labelNames: ['database', 'source'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [database, { current }] of Object.entries(databases)) {
        const builtAt = current?.info.builtAt;
        const source = bundled.includes(database) ? 'bundled' : 'configured';
        if (builtAt) this.set({ database, source }, builtAt.getTime() / 1000);
      }
    },
  });
  new Gauge({
    name: 'ip_locate_database_load_failed',
    help: '1 when the files were missing or rejected at the last attempt to load them',
    labelNames: ['database'],
    registers: [registry],
    collect() {
      for (const [database, { lastLoad }] of Object.entries({ ...databases, ...others })) {
        this.set({ database }, lastLoad?.error === undefined ? 0 : 1);
      }
    },
  });
};
