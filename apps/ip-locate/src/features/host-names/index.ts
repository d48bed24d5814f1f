import { Resolver } from 'node:dns';
import { Type } from '@sinclair/typebox';
import { onlyWith } from '@workspace/schemas';
import { option } from '../../extension-points.ts';
import { createReverseDnsMetrics } from './metrics.ts';
import { ReverseDns } from './reverse-dns.ts';

/** The servers that REVERSE_DNS_SERVERS lists; undefined for those of the system. */
const serversIn = (text: string | undefined): string[] | undefined =>
  text?.split(',').map((server) => server.trim());

/** Names of hosts, by reverse DNS. */
export const hostNames = option({
  name: 'host-names',
  settings: {
    REVERSE_DNS: Type.Boolean({
      default: false,
      description: 'whether DNS servers are asked for `hostname`, which is `null` otherwise',
    }),
    ...onlyWith('REVERSE_DNS', {
      REVERSE_DNS_SERVERS: Type.Optional(
        Type.String({
          description:
            'DNS servers, comma-separated, with ports where they are not 53: `127.0.0.1:5353,[::1]:5353`; those of the system when unset',
        }),
      ),
    }),
    REVERSE_DNS_TIMEOUT_MS: Type.Integer({
      default: 500,
      minimum: 1,
      maximum: 10_000,
      description: 'milliseconds that an answer waits for `hostname` at most',
    }),
  },
  violations: ({ REVERSE_DNS_SERVERS }) => {
    const servers = serversIn(REVERSE_DNS_SERVERS);
    if (servers === undefined) return [];
    try {
      new Resolver().setServers(servers);
      return [];
    } catch {
      return ['REVERSE_DNS_SERVERS must list addresses of DNS servers, with or without a port'];
    }
  },
  open: (config, { metrics }) => {
    if (!config.REVERSE_DNS) return undefined;
    const names = new ReverseDns({
      servers: serversIn(config.REVERSE_DNS_SERVERS),
      timeoutMs: config.REVERSE_DNS_TIMEOUT_MS,
      onResult: createReverseDnsMetrics(metrics.registry),
    });
    return { hostNames: names, close: () => names.close() };
  },
});
