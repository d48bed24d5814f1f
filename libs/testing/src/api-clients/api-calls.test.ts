import { answerDifferences, describedCalls, type OpenApiDocument, type PlainAnswer } from './api-calls.ts';

const json = { 'application/json': { schema: { type: 'object' } } };
const problem = { 'application/problem+json': { schema: { type: 'object' } } };
const document: OpenApiDocument = {
  paths: {
    '/{ip}/json': {
      get: {
        operationId: 'locate',
        tags: ['locations'],
        parameters: [
          { name: 'ip', in: 'path', required: true, example: '8.8.8.8' },
          { name: 'lang', in: 'query' },
        ],
        responses: { 200: { content: json }, 404: { $ref: '#/components/responses/not-found' } },
      },
    },
    '/batch': {
      post: {
        operationId: 'locateAll',
        tags: ['locations'],
        parameters: [{ name: 'Key', in: 'header' }],
        responses: { 200: { content: json } },
      },
    },
    '/{name}': {
      get: {
        operationId: 'find',
        tags: ['locations'],
        parameters: [{ name: 'name', in: 'path', required: true }],
        responses: { 204: {} },
      },
    },
  },
  components: { responses: { 'not-found': { content: problem } } },
};
const FIND = { operationId: 'find', path: { name: 'me' } };

describe('describedCalls', () => {
  it('calls every operation with the examples of the document, and as often as is asked', () => {
    const calls = describedCalls(document, [
      FIND,
      { operationId: 'locateAll', headers: { Key: 'a', Accept: '*/*' }, body: [] },
      { operationId: 'locateAll', name: 'csvBatch', body: 'ip', contentType: 'text/csv' },
    ]);
    expect(calls.map(({ name, method, path }) => [name, method, path])).toEqual([
      ['locate', 'get', { ip: '8.8.8.8' }],
      ['locateAll', 'post', {}],
      ['csvBatch', 'post', {}],
      ['find', 'get', { name: 'me' }],
    ]);
    expect(calls[0]).toMatchObject({ takesQuery: true, responses: { 200: json, 404: problem } });
    expect(calls[1]).toMatchObject({ headers: { Accept: '*/*' }, parameterHeaders: { Key: 'a' } });
  });

  it('wants a value for every required parameter, and no operation that is not described', () => {
    expect(() => describedCalls(document, [])).toThrow('find needs an example, or a call with name');
    expect(() => describedCalls(document, [FIND, { operationId: 'gone' }])).toThrow('not in the document');
  });
});

describe('answerDifferences', () => {
  const plain = (data: unknown, type = 'application/json') => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    return new Map<string, PlainAnswer>([['call', { status: 200, type, isTyped: true, text, data }]]);
  };
  const before = plain({ ip: '8.8.8.8', postal: null, at: '2026-12-31T00:00:00Z', uptime: 1, tags: ['a'] });
  const after = plain({ ip: '8.8.8.8', postal: null, at: '2026-12-31T00:00:00Z', uptime: 2, tags: ['a'] });
  const same = { ip: '8.8.8.8', at: '2026-12-31T00:00:00+00:00', uptime: 7, tags: ['a'] };
  const found = (data: unknown, status = 200) => answerDifferences(before, after, { call: { status, data } });

  it('takes null for a member left out, a time for a time, and anything where plain answers differ', () => {
    expect(found(same)).toEqual([]);
  });

  it.each([
    ['a call not made', () => answerDifferences(before, after, {}), 'call was not called'],
    ['another status', () => found(same, 404), 'call: status 404, not 200'],
    ['a dropped body', () => found(null), /^call: the body: null, not /],
    ['text for an object', () => found('{}'), /^call: the body: "\{\}", not /],
    ['a dropped member', () => found({ ...same, ip: undefined }), 'call: /ip: nothing, not "8.8.8.8"'],
    ['a dropped member that varies', () => found({ ...same, uptime: undefined }), 'call: /uptime is missing'],
    ['an added member', () => found({ ...same, more: 1 }), 'call: /more: 1, not nothing'],
    ['a rounded or retyped value', () => found({ ...same, tags: [1] }), 'call: /tags/0: 1, not "a"'],
  ])('finds %s', (_name, differences, expected) => {
    expect(differences()).toEqual([
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    ]);
  });

  it('takes any number where one is measured, though plain answers have the same twice', () => {
    const differencesOf = (uptime: unknown) =>
      answerDifferences(before, before, { call: { status: 200, data: { ...same, uptime } } }, /\/uptime$/);
    expect(differencesOf(7)).toEqual([]);
    expect(differencesOf('7')).toEqual(['call: /uptime: "7", not 1']);
  });

  it('compares YAML as text where a client leaves it, and by value where a client parses it', () => {
    const yaml = plain('ip: "8.8.8.8"\npostal: null\n', 'application/yaml');
    const differencesOf = (data: unknown) => answerDifferences(yaml, yaml, { call: { status: 200, data } });
    expect(differencesOf('ip: "8.8.8.8"\npostal: null\n')).toEqual([]);
    expect(differencesOf({ ip: '8.8.8.8' })).toEqual([]);
    expect(differencesOf({ ip: '' })).toEqual(['call: /ip: "", not "8.8.8.8"']);
  });
});
