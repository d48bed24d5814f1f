import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { builtFile } from '@workspace/testing';
import { asnMmdb, cityMmdb, munich } from '../test/databases.ts';
import { startService } from './service.ts';

it('ip-locate-data downloads databases that the service loads, old ones replaced under it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ip-locate-data-'));
  let epoch = Math.floor(Date.now() / 1000) - 86_400;
  const server = createServer((request, response) => {
    if (request.url === '/tor') return void response.end('80.1.2.3\n');
    const entries: [string, typeof munich][] = [
      ['8.0.0.0/8', munich],
      ['80.0.0.0/8', munich],
    ];
    const bytes = request.url?.includes('/dbip-city-lite-') ? cityMmdb({ entries, epoch }) : asnMmdb();
    response.end(gzipSync(bytes));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const update = async (databases: string, known: string, ...more: string[]): Promise<string> => {
    const command = builtFile('ip-locate', 'ip-locate-data.js');
    const args = [
      'update',
      '--folder',
      folder,
      '--mirror',
      mirror,
      '--databases',
      databases,
      '--known-address',
      known,
      ...more,
    ];
    return (await promisify(execFile)(process.execPath, [command, ...args])).stdout;
  };
  try {
    expect(await update('city', '8.8.8.8')).toContain('city.mmdb: updated');
    expect(await update('asn', '80.1.2.3')).toContain('asn.mmdb: updated');
    const lists = ['--list', `tor=${mirror}/tor`, '--complete', 'tor'];
    expect(await update('anonymous', '8.8.8.8', ...lists)).toContain('anonymous.mmdb: updated');
    const service = await startService({
      DATABASE_PATH: join(folder, 'city.mmdb'),
      ASN_DATABASE_PATH: join(folder, 'asn.mmdb'),
      ANONYMOUS_DATABASE_PATH: join(folder, 'anonymous.mmdb'),
      FILE_POLL_MS: '500',
    });
    try {
      expect((await service.health()).checks?.['database:city']?.[0]).toMatchObject({
        status: 'pass',
        observedValue: 1,
      });
      const record = await (
        await fetch(`${service.url}/80.1.2.3/json/?fields=city,asn,is_tor_exit_node,is_hosting_provider`)
      ).json();
      expect(record).toEqual({
        city: 'Munich',
        asn: 'AS3320',
        is_tor_exit_node: true,
        is_hosting_provider: null,
      });
      expect((await service.health()).checks?.['database:anonymous']?.[0]).toMatchObject({
        status: 'pass',
        observedValue: 0,
        types: ['ip-locate-Anonymous-IP'],
      });
      epoch += 80_000;
      const loaded = service.nextLine('data files loaded');
      expect(await update('city', '8.8.8.8')).toContain('city.mmdb: updated');
      await loaded;
      expect((await service.health()).checks?.['database:city']?.[0]).toMatchObject({
        status: 'pass',
        observedValue: 0,
      });
    } finally {
      await service.stop();
    }
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  }
});
