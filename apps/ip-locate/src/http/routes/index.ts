import { PUBLIC_HEADERS } from '../views/headers.ts';
import { ProblemError, type Service, type Reloadable } from '@workspace/service-kit';
import { DEFAULT_FIELDS, type LocationRecord, recordOf } from '../domain/fields.ts';
import type { Locator } from '../domain/locator.ts';
import { ATTRIBUTIONS } from '../views/attribution.ts';
import { FORMATS } from '../views/formats.ts';
import { type Index, indexPage } from '../views/index-page.ts';
import type { Lookup } from './lookup.ts';
import { negotiate } from './negotiation.ts';
import type { FastifyRequest } from 'fastify';

const PATHS = [
  '/{ip}/json/ · csv · xml · yaml · jsonp/?callback=f',
  '/{ip}/{field}/',
  '/json/ and /{field}/ for your own address',
  'POST /batch',
  '?fields=city,country or all · ?lang=de',
  '/health · /openapi.json',
];
const NOTICE =
  'Positions are those of networks, not of persons or households, and often tens of kilometres off.';

export interface IndexOptions {
  lookup: Lookup;
  cities: Reloadable<Locator>;
  version: string;
}

/** `/`: a page for people, JSON for programs. */
export function indexRoutes(app: Service, { lookup, cities, version }: IndexOptions): void {
  app.get('/', (request, reply) => {
    const index: Index = {
      service: 'ip-locate',
      version,
      you: you(lookup, request),
      paths: PATHS,
      attribution: ATTRIBUTIONS[cities.current?.info.provider ?? 'other'] ?? null,
      notice: NOTICE,
    };
    void reply.headers({ ...PUBLIC_HEADERS, 'cache-control': 'private, no-store', vary: 'accept' });
    if (negotiate(request.headers.accept, ['application/json', 'text/html']) === 'application/json') {
      return reply.header('content-type', FORMATS.json.type).serializer(JSON.stringify).send(index);
    }
    return reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'",
      })
      .send(indexPage(index));
  });
}

function you(lookup: Lookup, request: FastifyRequest): LocationRecord | string {
  try {
    return recordOf(lookup.find(lookup.caller(request), 'en'), DEFAULT_FIELDS);
  } catch (error) {
    if (error instanceof ProblemError) return error.message;
    throw error;
  }
}
