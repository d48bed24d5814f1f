import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { commonProblems, ProblemError, type Service } from '@workspace/service-kit';
import { ALL_FIELDS, isField } from '../domain/fields.ts';
import { FORMATS, isFormat } from '../views/formats.ts';
import type { Answers, View } from './answers.ts';
import { negotiate } from './negotiation.ts';
import { Query } from './query.ts';
import type { Charge } from './rate-limit.ts';

const One = { querystring: Query, params: Type.Object({ name: Type.String() }) };
const Two = { querystring: Query, params: Type.Object({ ip: Type.String(), name: Type.String() }) };
const Ip = { querystring: Query, params: Type.Object({ ip: Type.String() }) };

export interface LocationOptions {
  answers: Answers;
  charge?: Charge;
}

/**
 * Where an address is, and where the caller is: `/<ip>/<view>` and `/<view>`, a view being a format or a field.
 * The JSON paths have routes of their own because nearly all requests are theirs. `/<ip>` alone is negotiated.
 */
export function locationRoutes(app: Service, { answers, charge }: LocationOptions): void {
  const limited = charge && {
    preHandler: (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
      charge(request, 1);
      done();
    },
  };
  app.get('/json', { schema: { querystring: Query }, ...limited }, (request, reply) =>
    answers.caller(request, reply, 'json'),
  );
  for (const path of ['/:ip/json', '/json/:ip']) {
    app.get(path, { schema: Ip, ...limited }, (request, reply) =>
      answers.named(request, reply, request.params.ip, 'json'),
    );
  }
  app.get('/:ip/:name', { schema: Two, ...limited }, (request, reply) =>
    answers.named(request, reply, request.params.ip, viewOf(request.params.name)),
  );
  app.get('/:name', { schema: One, ...limited }, (request, reply) => {
    const { name } = request.params;
    if (!/[.:]/.test(name)) return answers.caller(request, reply, viewOf(name));
    void reply.header('vary', 'accept');
    return answers.named(request, reply, name, accepted(request.headers.accept));
  });
}

const BY_TYPE = {
  'application/json': 'json',
  'application/xml': 'xml',
  'text/csv': 'csv',
  'application/yaml': 'yaml',
} as const;

const accepted = (accept: string | undefined): View =>
  BY_TYPE[negotiate(accept, ['application/json', 'application/xml', 'text/csv', 'application/yaml'])];

function viewOf(name: string): View {
  if (name === 'jsonp' || isFormat(name)) return name;
  if (isField(name)) return { field: name };
  const known = [...Object.keys(FORMATS), 'jsonp', ...ALL_FIELDS].join(', ');
  throw new ProblemError(commonProblems['not-found'], { detail: `A path ends in one of ${known}.` });
}
