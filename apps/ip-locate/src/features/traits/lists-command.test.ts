import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { parseAddress } from '@workspace/ip-addresses';
import { openAnonymousDatabase } from './anonymous-database.ts';
import { createDataUpdates } from '../data-updates/index.ts';
import { traitUpdates } from './update.ts';
import { DataCommandTest } from '../../../test/data-command.ts';
import { anonymousMmdb } from '../../../test/databases.ts';

const AWS = JSON.stringify({
  syncToken: '1',
  prefixes: ['3.5.140.0/22', '13.34.37.64/27', '15.177.64.0/23'].map((ip_prefix) => ({
    ip_prefix,
    region: 'ap-northeast-2',
    service: 'AMAZON',
  })),
  ipv6_prefixes: [{ ipv6_prefix: '2600:1f14::/35', region: 'us-west-2', service: 'EC2' }],
});
const TOR = '3.5.140.7\n171.25.193.25\n185.220.101.1\n185.220.101.2\n';

let pages: Map<string, string | ((response: ServerResponse) => void)>;
let requests: string[];
beforeEach(() => {
  pages = new Map<string, string | ((response: ServerResponse) => void)>([
    ['/aws', AWS],
    ['/tor', TOR],
  ]);
  requests = [];
});
const command = new DataCommandTest(({ url = '' }, response) => {
  requests.push(url);
  const page = pages.get(url);
  if (page === undefined) response.writeHead(404).end('Not Found');
  else if (typeof page === 'string') response.end(page);
  else page(response);
});

const run = (args: string, now?: Date): Promise<number> =>
  command.run(
    ['update', '--folder', command.folder, '--databases', 'anonymous', ...args.split(' ')],
    [createDataUpdates({ retryMs: 1, attempts: 2 }), traitUpdates],
    now && { now },
  );
const LISTS = () => `--list hosting=${command.origin}/aws --list tor=${command.origin}/tor`;
const installed = (): Buffer => readFileSync(join(command.folder, 'anonymous.mmdb'));
const find = async (ip: string) => {
  const { find } = await openAnonymousDatabase([{ name: 'anonymous.mmdb', bytes: installed() }]);
  return find(parseAddress(ip)!);
};

describe('ip-locate-data update --list', () => {
  it('makes a database of published lists, anew each time', async () => {
    expect(await run(`${LISTS()} --complete tor`)).toBe(0);
    expect(command.out).toEqual([`${command.folder}/anonymous.mmdb: updated, data of 2026-11-21`]);
    expect(await find('13.34.37.70')).toMatchObject({
      is_anonymous: true,
      is_hosting_provider: true,
      is_tor_exit_node: false,
      is_anonymous_vpn: null,
    });
    expect(await find('3.5.140.7')).toMatchObject({ is_hosting_provider: true, is_tor_exit_node: true });
    expect(await find('2600:1f14::7')).toMatchObject({ is_hosting_provider: true, is_tor_exit_node: false });
    expect(await find('9.9.9.9')).toMatchObject({
      is_anonymous: null,
      is_hosting_provider: null,
      is_tor_exit_node: false,
    });
    expect(readdirSync(command.folder).sort()).toEqual([
      'anonymous.mmdb',
      'anonymous.mmdb.lock',
      'anonymous.mmdb.source',
    ]);
    pages.set('/tor', '9.9.9.9\n185.220.101.1\n');
    expect(await run(LISTS(), new Date('2026-11-22T12:00:00Z'))).toBe(0);
    expect(command.out).toEqual([`${command.folder}/anonymous.mmdb: updated, data of 2026-11-22`]);
    expect(await find('9.9.9.9')).toMatchObject({ is_tor_exit_node: true });
    expect(await find('171.25.193.25')).toMatchObject({ is_tor_exit_node: null });
  });

  it('follows redirections, and downloads again after an interruption', async () => {
    pages.set('/moved', (response) => response.writeHead(302, { location: '/tor' }).end());
    pages.set('/cut', (response) => {
      pages.set('/cut', TOR);
      response.writeHead(200, { 'content-length': TOR.length, etag: '"1"' });
      response.write(TOR.slice(0, 12), () => response.destroy());
    });
    expect(await run(`--list tor=${command.origin}/moved --list proxy=${command.origin}/cut`)).toBe(0);
    expect(requests).toEqual(['/moved', '/tor', '/cut', '/cut']);
    expect(await find('171.25.193.25')).toMatchObject({ is_tor_exit_node: true, is_public_proxy: true });
  });

  it.each<[string, string | undefined | ((response: ServerResponse) => void), string]>([
    ['nothing', undefined, 'not found: http'],
    ['an empty list', '', 'the list has no networks'],
    [
      'less than half of the list',
      '185.220.101.1\n',
      'the list has 1 networks and had 4; use --accept-smaller to accept it',
    ],
    ['a fault', (response) => response.writeHead(500).end(), 'answered 500, 2 times'],
  ])('keeps the database in use when a server has %s', async (_, page, reason) => {
    expect(await run(LISTS())).toBe(0);
    const before = installed();
    if (page === undefined) pages.delete('/tor');
    else pages.set('/tor', page);
    expect(await run(LISTS(), new Date('2026-11-22T12:00:00Z'))).toBe(1);
    expect(command.notes.at(-1)).toContain(`${command.folder}/anonymous.mmdb: not updated: `);
    expect(command.notes.at(-1)).toContain(reason);
    expect(installed().equals(before)).toBe(true);
    expect(readdirSync(command.folder).filter((name) => /\.(new|part|version)/.test(name))).toEqual([]);
  });

  it('takes a list that has become smaller only when told so', async () => {
    expect(await run(LISTS())).toBe(0);
    pages.set('/tor', '185.220.101.1\n');
    expect(await run(LISTS())).toBe(1);
    expect(await run(`${LISTS()} --accept-smaller`)).toBe(0);
    expect(await run(LISTS())).toBe(0);
    expect(await find('185.220.101.2')).toMatchObject({ is_tor_exit_node: null });
  });

  it('downloads MaxMind’s database, too', async () => {
    pages.set('/anonymous.mmdb', (response) => response.end(anonymousMmdb()));
    expect(await run(`--source url --anonymous-url ${command.origin}/anonymous.mmdb`)).toBe(0);
    expect(installed().equals(anonymousMmdb())).toBe(true);
  });

  it.each([
    ['--source dbip', 'DB-IP has no anonymous.mmdb: add --list.'],
    ['--source url', '--anonymous-url is missing.'],
    [
      '--list tor',
      '--list is TRAIT=URL, TRAIT one of hosting, vpn, proxy, residential, tor, anycast, bot, not "tor".',
    ],
    ['--list mobile=http://a.example/', 'not "mobile=http://a.example/".'],
    ['--list tor=ftp://a.example/', '"ftp://a.example/" is not an HTTP address.'],
    ['--list tor=http://a.example/ --complete all', '--complete names hosting, vpn,'],
    ['--list tor=http://a.example/ --complete tor,vpn', '--complete vpn needs a --list vpn=….'],
  ])('%s is wrong: %s', async (args, message) => {
    expect(await run(args)).toBe(2);
    expect(command.notes.join()).toContain(message);
    expect(requests).toEqual([]);
  });
});
