import type { FastifyRequest } from 'fastify';
import type { Service } from '@workspace/service-kit';
import { type Address, parseAddress } from '@workspace/ip-addresses';
import { networkOf } from '@workspace/ip-addresses';
import type { Lookup } from './lookup.ts';

/** Bits an operator may keep without keeping persons: the blocks networks are handed out in, not households. */
const KEPT_BITS = { 4: 24, 6: 48 } as const;

/** A log line an answer, with who asked and for what, both cut to their network. */
export function logAddresses(app: Service, lookup: Lookup): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    request.log.info(
      {
        method,
        route: routeOptions.url,
        status: reply.statusCode,
        ms: reply.elapsedTime,
        caller: truncated(lookup.callerIfTold(request)),
        asked: truncated(askedFor(request)),
      },
      'answered',
    );
    done();
  });
}

const truncated = (address: Address | undefined): string | undefined =>
  address && networkOf(address, KEPT_BITS[address.family]);

function askedFor({ params }: FastifyRequest): Address | undefined {
  const { ip, name } = (params ?? {}) as { ip?: string; name?: string };
  return parseAddress(ip ?? name ?? '');
}
