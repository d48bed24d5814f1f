import type { FastifyRequest } from 'fastify';
import { type Address, networkOf, parseAddress } from '@workspace/ip-addresses';
import type { Service } from '@workspace/service-kit';
import type { ClientAddressOf } from '@workspace/service-kit/client-address';

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

const truncated = (address: Address | undefined): string | undefined =>
  address && networkOf(address, LOGGED_BITS[address.family]);

const requestedAddress = ({ params }: FastifyRequest): Address | undefined => {
  // The hook runs for every route, so no schema types the parameters.
  if (typeof params !== 'object' || params === null) return undefined;
  const address = 'ip' in params ? params.ip : 'name' in params ? params.name : undefined;
  return typeof address === 'string' ? parseAddress(address) : undefined;
};
