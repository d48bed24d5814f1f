import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { describeWith, eventually, freePort, isFree, pythonProgram } from '@workspace/testing';
import { parse, stringify } from 'yaml';
import { DOCUMENTATION } from '../test/documents.ts';
import { type RunningService, startService } from './service.ts';

/** The filters of the documented example. */
const EXAMPLE = /^```yaml\n(http_filters:\n[\s\S]*?)^```$/m.exec(DOCUMENTATION)?.[1] ?? '';

const cluster = (name: string, port: number) => ({
  name,
  load_assignment: {
    cluster_name: name,
    endpoints: [
      {
        lb_endpoints: [
          { endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: port } } } },
        ],
      },
    ],
  },
});

/** The documented filters in an Envoy of their own. */
const configuration = (filters: string, port: number, service: number, site: number): string => {
  const { http_filters } = parse(filters) as { http_filters: object[] };
  const manager = {
    '@type':
      'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    stat_prefix: 'front',
    use_remote_address: true,
    route_config: {
      virtual_hosts: [
        { name: 'site', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'site' } }] },
      ],
    },
    http_filters: [
      ...http_filters,
      {
        name: 'envoy.filters.http.router',
        typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
      },
    ],
  };
  const filter = { name: 'envoy.filters.network.http_connection_manager', typed_config: manager };
  return stringify({
    static_resources: {
      listeners: [
        {
          address: { socket_address: { address: '127.0.0.1', port_value: port } },
          filter_chains: [{ filters: [filter] }],
        },
      ],
      clusters: [cluster('site', site), cluster('ip-locate', service)],
    },
  });
};

describeWith(['python3'], 'behind Envoy', () => {
  let site: Server;
  beforeAll(async () => {
    // Returns the headers about the visitor that it received.
    site = createServer(({ method, url, headers }, response) => {
      const geo = Object.entries(headers).filter(
        ([name, value]) => name.startsWith('x-geo-') && value !== '',
      );
      response.end(JSON.stringify({ method, url, geo: Object.fromEntries(geo) }));
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
  });
  afterAll(() => site.close());

  describe.each([
    ['path_override', EXAMPLE],
    ['path_prefix', EXAMPLE.replace('path_override', 'path_prefix')],
    // Without the filter that removes headers: ip-locate's overwrite them.
    [
      'path_override alone',
      stringify({ http_filters: [(parse(EXAMPLE) as { http_filters: object[] }).http_filters[1]] }),
    ],
  ])('with %s', (_, filters) => {
    let service: RunningService | undefined;
    let envoy: ChildProcess | undefined;
    let port: number;

    beforeAll(async () => {
      // Envoy names itself by an address of the machine to those that call it on loopback.
      const own = Object.values(networkInterfaces()).flatMap((all) =>
        (all ?? []).map(({ address }) => address),
      );
      const trusted = ['loopback', ...own.filter((address) => !address.includes('%'))];
      service = await startService({ TRUST_PROXY: trusted.join(), DEFAULT_FIELDS: 'country,city,postal' });
      port = await freePort();
      const config = configuration(filters, port, service.port, (site.address() as AddressInfo).port);
      const program = await pythonProgram('envoy', 'envoy');
      envoy = spawn(program, ['--config-yaml', config, '--use-dynamic-base-id', '--concurrency', '1'], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      await started(envoy, port);
      // Making the Python environment for the first time is part of it.
    });
    afterAll(async () => {
      if (envoy?.kill('SIGTERM')) await once(envoy, 'exit');
      await service?.stop();
    });

    /** A visitor of the site, at an address that the next proxy has seen. */
    const visit = async (
      path: string,
      address: string,
      method = 'GET',
      headers: Record<string, string> = {},
    ) => {
      const request = httpRequest({
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: { ...headers, 'x-forwarded-for': address },
      });
      request.end(method === 'POST' ? '{nonsense' : undefined);
      const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage];
      const body = await text(response);
      expect([response.statusCode, body]).toEqual([200, expect.stringMatching(/^\{/)]);
      return JSON.parse(body) as { method: string; url: string; geo: Record<string, string> };
    };
    const FORGED = {
      'x-geo-country': 'XX',
      'X-Geo-Postal': 'forged',
      'x-geo-asn': 'forged',
      'x-geo-error': 'forged',
    };
    const AMERICAN = { 'x-geo-country': 'US', 'x-geo-city': 'Mountain View' };

    it.each([
      ['GET', '/shop?fields=nonsense&lang=de'],
      ['POST', '/%zz'],
      ['PROPFIND', '/'],
      ['OPTIONS', '/a//b/'],
    ])(
      'sends a site the visitor’s location, and nothing that the visitor sent: %s %s',
      async (method, path) => {
        const headers = { 'content-type': 'application/json', ...FORGED };
        const { geo, ...rest } = await visit(path, '8.8.8.8', method, headers);
        expect(rest.method).toBe(method);
        expect(geo).toEqual(AMERICAN);
      },
    );

    it('admits a visitor whose location is unknown', async () => {
      expect((await visit('/', '192.168.1.9', 'GET', FORGED)).geo).toEqual({
        'x-geo-error': 'reserved-address',
      });
    });

    it('admits visitors while the service is stopped', async () => {
      await service?.stop();
      const { geo } = await visit('/', '8.8.8.8', 'GET', FORGED);
      if (filters.includes('header_mutation')) expect(geo).toEqual({});
    });
  });
});

/** Resolves when Envoy listens, which it does a moment after it logs that its workers start. */
const started = async (envoy: ChildProcess, port: number): Promise<void> => {
  const log: string[] = [];
  envoy.stderr?.on('data', (chunk) => log.push(String(chunk)));
  await eventually('listener of Envoy', async () => {
    if (envoy.exitCode !== null) throw new Error(`Envoy did not start: ${log.join('')}`);
    return !(await isFree(port));
  });
};
