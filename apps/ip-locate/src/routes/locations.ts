import { Type } from '@sinclair/typebox';
import { kitRefusals, Refusal, type Service } from '@workspace/service-kit';
import { ALL_FIELDS, isField } from '../domain/fields.ts';
import { FORMATS, isFormat } from '../views/formats.ts';
import type { Answers, View } from './answers.ts';
import { Query } from './query.ts';

const One = { querystring: Query, params: Type.Object({ name: Type.String() }) };
const Two = { querystring: Query, params: Type.Object({ ip: Type.String(), name: Type.String() }) };
const Ip = { querystring: Query, params: Type.Object({ ip: Type.String() }) };

/**
 * Where an address is, and where the caller is: `/<ip>/<view>` and `/<view>`, a view being a format or a field.
 * The two JSON paths have routes of their own because nearly all requests are theirs.
 */
export function locationRoutes(app: Service, { answers }: { answers: Answers }): void {
  app.get('/json', { schema: { querystring: Query } }, (request, reply) =>
    answers.caller(request, reply, 'json'),
  );
  app.get('/:ip/json', { schema: Ip }, (request, reply) =>
    answers.named(request, reply, request.params.ip, 'json'),
  );
  app.get('/json/:ip', { schema: Ip }, (request, reply) =>
    answers.named(request, reply, request.params.ip, 'json'),
  );
  app.get('/:ip/:name', { schema: Two }, (request, reply) =>
    answers.named(request, reply, request.params.ip, viewOf(request.params.name)),
  );
  app.get('/:name', { schema: One }, (request, reply) => {
    const { name } = request.params;
    if (/[.:]/.test(name)) return answers.named(request, reply, name, 'json');
    return answers.caller(request, reply, viewOf(name));
  });
}

function viewOf(name: string): View {
  if (name === 'jsonp' || isFormat(name)) return name;
  if (isField(name)) return { field: name };
  const known = [...Object.keys(FORMATS), 'jsonp', ...ALL_FIELDS].join(', ');
  throw new Refusal(kitRefusals['not-found'], { detail: `A path ends in one of ${known}.` });
}
