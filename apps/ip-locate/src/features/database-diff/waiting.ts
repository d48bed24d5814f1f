import { existsSync } from 'node:fs';
import { Gauge } from 'prom-client';
import { parseDatabaseList } from '../../domain/database-list.ts';
import type { Option } from '../../extension-points.ts';

/** Shows that `ip-locate-data update` has kept a file back, which otherwise only its exit code says. */
export const waitingDatabases: Option = {
  name: 'database-diff',
  open: ({ DATABASE_PATH: city, ASN_DATABASE_PATH: asn }, { metrics }) => {
    const files = Object.entries({ city, asn }).flatMap(([database, list]) =>
      (parseDatabaseList(list)[0] ?? []).map((path) => ({ database, path: `${path}.waiting` })),
    );
    if (files.length === 0) return undefined;
    const waiting = () => files.filter(({ path }) => existsSync(path));
    new Gauge({
      name: 'ip_locate_database_waiting',
      help: '1 when a newer file waits because it changes more than --max-change or --max-rule-change allows',
      labelNames: ['database'],
      registers: [metrics.registry],
      collect() {
        for (const { database } of files) this.set({ database }, 0);
        for (const { database } of waiting()) this.set({ database }, 1);
      },
    });
    const output = 'a newer file waits because it changes more than is allowed; see ip-locate-data diff';
    return {
      checks: () =>
        Object.fromEntries(
          waiting().map(({ database }) => [
            `database:${database}:waiting`,
            [{ status: 'warn', componentType: 'datastore', output }],
          ]),
        ),
    };
  },
};
