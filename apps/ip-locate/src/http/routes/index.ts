import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { apiResponse, type Clock, negotiate, ProblemError, type Service } from '@workspace/service-kit';
import type { Current, LocationDatabase } from '../../application/location-database.ts';
import { PUBLIC_HEADERS } from '../headers.ts';
import type { Lookup } from '../lookup.ts';
import { type Index, IndexSchema, indexPage } from '../pages/index-page.ts';
import { ATTRIBUTIONS } from '../representations/attribution.ts';
import { type FieldName, type LocationRecord, recordOf } from '../representations/fields.ts';
import { FORMATS } from '../representations/formats.ts';

const PATHS = [
  '/{ip}/json/ · csv · xml · yaml · jsonp/?callback=f',
  '/{ip}/{field}/',
  '/json/ and /{field}/ for your own address',
  'POST /batch',
  '?fields=city,country or all · ?lang=de',
  '/health · /docs · /openapi.json · /openapi.yaml',
];
const NOTICE =
  'Locations are those of networks, not of persons or households, and often tens of kilometres off.';

export interface IndexDeps {
  lookup: Lookup;
  locations: Current<LocationDatabase>;
  clock: Clock;
  version: string;
  defaultFields: readonly FieldName[];
}

/** The index: a page for people, JSON for programs. */
export function indexRoute(app: Service, path: string, deps: IndexDeps): void {
  const schema = {
    operationId: 'index',
    tags: ['service'],
    summary: "The service, its paths and the caller's location: JSON, or a page for browsers",
    response: {
      200: apiResponse('The index.', {
        content: { 'application/json': IndexSchema, 'text/html': Type.String() },
        headers: { Vary: Type.Literal('accept'), 'Cache-Control': Type.Literal('private, no-store') },
      }),
    },
  };
  app.get(path, { schema }, (request, reply) => {
    const index: Index = {
      service: 'ip-locate',
      version: deps.version,
      you: callerOf(request, deps),
      paths: PATHS,
      attribution: ATTRIBUTIONS[deps.locations.current?.info.provider ?? 'other'] ?? null,
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

function callerOf(
  request: FastifyRequest,
  { lookup, clock, defaultFields }: IndexDeps,
): LocationRecord | string {
  try {
    return recordOf(lookup.caller(request, undefined, clock()), defaultFields);
  } catch (error) {
    if (error instanceof ProblemError) return error.message;
    throw error;
  }
}
