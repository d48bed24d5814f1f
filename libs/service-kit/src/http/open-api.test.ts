import { Type } from '@sinclair/typebox';
import { openApiDocument, problemResponses } from './open-api.ts';
import { defineProblems } from './problem-error.ts';

const problems = defineProblems({
  'no-such-thing': { status: 404, title: 'There is no such thing' },
  'no-such-shelf': { status: 404, title: 'There is no such shelf' },
  full: { status: 503, title: 'There is no room' },
});
const Thing = Type.Object({ name: Type.String() }, { $id: 'Thing' });

const document = openApiDocument({
  title: 'things',
  version: '1.2.3',
  description: 'Things.',
  operations: [
    {
      method: 'get',
      path: '/things/:thing',
      id: 'thing',
      tag: 'things',
      summary: 'One thing',
      params: Type.Object({ thing: Type.String({ description: 'its name' }) }),
      query: Type.Object({ limit: Type.Integer({ default: 5 }) }),
      responses: {
        200: { description: 'It.', content: { 'application/json': Type.Array(Thing) } },
        ...problemResponses(Object.values(problems), { outcome: Type.String() }),
      },
    },
    {
      method: 'post',
      path: '/things/:thing',
      id: 'change',
      tag: 'things',
      summary: 'Change it',
      headers: Type.Object({ 'If-Match': Type.String() }),
      body: { content: { 'application/json': Thing } },
      responses: {
        204: { description: 'Changed.', headers: Type.Object({ ETag: Type.Optional(Type.String()) }) },
      },
      security: 'bearer',
    },
  ],
  securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
}) as Record<string, never>;

const at = (...path: string[]): unknown =>
  path.reduce<unknown>((value, member) => (value as Record<string, unknown>)[member], document);
const get = ['paths', '/things/{thing}', 'get'];

describe('the description of an API', () => {
  it('keeps the operations of a path together and refers to named schemas', () => {
    const reference = { $ref: '#/components/schemas/Thing' };
    expect(at('openapi')).toBe('3.1.0');
    expect(at(...get, 'responses', '200', 'content', 'application/json', 'schema')).toEqual({
      type: 'array',
      items: reference,
    });
    expect(at('paths', '/things/{thing}', 'post')).toMatchObject({
      operationId: 'change',
      requestBody: { required: true, content: { 'application/json': { schema: reference } } },
      parameters: [{ name: 'If-Match', in: 'header', required: true }],
      responses: { 204: { headers: { ETag: { required: false } } } },
      security: [{ bearer: [] }],
    });
    expect(at('components')).toEqual({
      schemas: { Thing: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    });
  });

  it('asks for no parameter that has a default', () => {
    expect(at(...get, 'parameters')).toEqual([
      {
        name: 'thing',
        in: 'path',
        required: true,
        description: 'its name',
        schema: { type: 'string', description: 'its name' },
      },
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', default: 5 } },
    ]);
  });

  it('says what is refused: a response a status, with its codes', () => {
    expect(Object.keys(at(...get, 'responses') as object)).toEqual(['200', '404', '503']);
    expect(at(...get, 'responses', '404', 'description')).toBe(
      'There is no such thing (`no-such-thing`). There is no such shelf (`no-such-shelf`).',
    );
    const schema = at(...get, 'responses', '404', 'content', 'application/problem+json', 'schema');
    expect(schema).toMatchObject({
      properties: {
        type: { enum: ['urn:problem-type:no-such-thing', 'urn:problem-type:no-such-shelf'] },
        status: { const: 404 },
        outcome: { type: 'string' },
      },
      required: ['type', 'title', 'status'],
    });
  });
});
