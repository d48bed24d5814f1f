import { Type } from '@sinclair/typebox';
import { type Clock, negotiate, type Service } from '@workspace/service-kit';
import type { LocationAnswers } from '../location-answers.ts';
import type { ChargeLookups } from '../rate-limit.ts';
import { parseView, type View } from '../representations/view.ts';
import { Query } from '../schemas/query.ts';

export interface LocationDeps {
  answers: LocationAnswers;
  charge: ChargeLookups;
  clock: Clock;
}

const Ip = Type.Object({ ip: Type.String() });
const IpAndView = Type.Object({ ip: Type.String(), view: Type.String() });
const IpOrView = Type.Object({ view: Type.String() });

/** An address, as JSON: the path of nearly all requests. */
export function addressJsonRoute(app: Service, path: string, { answers, charge, clock }: LocationDeps): void {
  app.get(path, { schema: { params: Ip, querystring: Query } }, (request, reply) => {
    const time = clock();
    charge(request, 1, time);
    return answers.sendAddress(request, reply, request.params.ip, 'json', time);
  });
}

/** An address, in a format, or one field of it. */
export function addressViewRoute(app: Service, path: string, { answers, charge, clock }: LocationDeps): void {
  app.get(path, { schema: { params: IpAndView, querystring: Query } }, (request, reply) => {
    const { ip, view } = request.params;
    const time = clock();
    charge(request, 1, time);
    return answers.sendAddress(request, reply, ip, parseView(view), time);
  });
}

/** The caller, as JSON. */
export function callerJsonRoute(app: Service, path: string, { answers, charge, clock }: LocationDeps): void {
  app.get(path, { schema: { querystring: Query } }, (request, reply) => {
    const time = clock();
    charge(request, 1, time);
    return answers.sendCaller(request, reply, 'json', time);
  });
}

/** The caller in a format, or one field; or an address alone, in the format that the Accept header prefers. */
export function callerViewRoute(app: Service, path: string, { answers, charge, clock }: LocationDeps): void {
  app.get(path, { schema: { params: IpOrView, querystring: Query } }, (request, reply) => {
    const { view } = request.params;
    const time = clock();
    charge(request, 1, time);
    const isAddress = /[.:]/.test(view);
    if (!isAddress) return answers.sendCaller(request, reply, parseView(view), time);
    void reply.header('vary', 'accept');
    return answers.sendAddress(request, reply, view, acceptedView(request.headers.accept), time);
  });
}

const VIEW_BY_TYPE = {
  'application/json': 'json',
  'application/xml': 'xml',
  'text/csv': 'csv',
  'application/yaml': 'yaml',
} as const;

const acceptedView = (accept: string | undefined): View =>
  VIEW_BY_TYPE[negotiate(accept, ['application/json', 'application/xml', 'text/csv', 'application/yaml'])];
