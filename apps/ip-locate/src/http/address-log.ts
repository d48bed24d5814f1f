import type { FastifyRequest } from 'fastify';
import { type Address, networkOf, parseAddress } from '@workspace/ip-addresses';
import type { Service } from '@workspace/service-kit';
import type { ClientAddressOf } from '@workspace/service-kit/client-address';
import { hostAddress } from '../domain/special-ranges.ts';

/** Bits that do not identify a person: the blocks that networks are assigned in, not households. */
const LOGGED_BITS = { 4: 24, 6: 48 } as const;

/** Logs every answer with the caller's address and the requested address, both truncated to their network. */
export const logAddresses = (app: Service, clientAddressOf: ClientAddressOf): void => {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    request.log.info(
      {
        method,
        route: routeOptions.url,
        status: reply.statusCode,
        ms: reply.elapsedTime,
        caller: truncated(clientAddressOf(request.raw)),
        requested: truncated(requestedAddress(request)),
      },
      'request answered',
    );
    done();
  });
};

/** Of the host: a block of 6to4 contains the whole IPv4 address. */
const truncated = (address: Address | undefined): string | undefined => {
  const host = address && hostAddress(address);
  return host && networkOf(host, LOGGED_BITS[host.family]);
};

const requestedAddress = ({ params, query }: FastifyRequest): Address | undefined => {
  // The hook runs for every route, so no schema types them.
  const inQuery = (query as { ip?: unknown } | undefined)?.ip;
  const { name, ip = inQuery } = (params ?? {}) as { name?: unknown; ip?: unknown };
  const [address] = [name, ip].flatMap((text) => (typeof text === 'string' && parseAddress(text)) || []);
  return address;
};
