import { textTypesOf } from './open-api-clients.ts';

const answer = (...types: string[]) => ({ content: Object.fromEntries(types.map((type) => [type, {}])) });

describe('textTypesOf', () => {
  it('finds the media types of answers that the generator cannot parse, once each', () => {
    const document = {
      paths: {
        '/a': {
          get: {
            responses: { 200: answer('application/json', 'text/csv; charset=utf-8', 'application/toml') },
          },
          post: {
            requestBody: answer('application/json', 'application/x-ndjson'),
            responses: { 200: answer('application/toml', 'image/svg+xml', 'application/x-ndjson'), 204: {} },
          },
        },
        '/b': {
          parameters: {},
          get: { responses: { 200: answer('application/vnd.oai.openapi+json;version=3.1') } },
        },
      },
      components: { responses: { full: answer('application/problem+json', 'application/atom+xml') } },
    };
    expect(textTypesOf(document)).toEqual(['application/atom+xml', 'application/toml', 'image/svg+xml']);
  });
});
