import { testApiClients, testApiReference } from '@workspace/testing';
import { type RunningService, startService } from './service.ts';

let service: RunningService;
beforeAll(async () => {
  // With a limit, its headers and its problem are described too.
  service = await startService({ RATE_LIMIT: '1000/second' });
});
afterAll(() => service.stop());

testApiReference({
  url: () => service.url,
  tried: {
    operationId: 'locate',
    parameters: { ip: '8.8.8.8' },
    status: '200',
    shows: { ip: '8.8.8.8', country: 'US' },
  },
});

testApiClients({
  url: () => service.url,
  calls: [
    { operationId: 'locate' },
    { operationId: 'locate', name: 'allFields', query: { fields: 'all', lang: 'de' } },
    { operationId: 'locate', name: 'invalidAddress', path: { ip: '300.1.1.1' } },
    { operationId: 'locateField', path: { field: 'country' } },
    { operationId: 'locateNegotiated', path: { name: '8.8.8.8' } },
    { operationId: 'index' },
    { operationId: 'index', name: 'jsonIndex', headers: { Accept: 'application/json' } },
    { operationId: 'locateAll', body: ['8.8.8.8', '1.1.1.1', '10.0.0.1'] },
    {
      operationId: 'locateAll',
      name: 'csvBatch',
      body: 'ip,user\r\n8.8.8.8,7\r\n',
      contentType: 'text/csv',
    },
    {
      operationId: 'locateAll',
      name: 'ndjsonBatch',
      body: '"8.8.8.8"\n{"ip":"1.1.1.1","user":7}\n',
      contentType: 'application/x-ndjson',
    },
  ],
  leftOut: [
    {
      generator: 'openapi-python-client',
      message: /^POST \/batch: Unsupported content type (?:application\/x-ndjson|text\/csv)$/,
      calls: ['csvBatch', 'ndjsonBatch'],
      reason: 'of text it sends only JSON and forms',
    },
    {
      generator: 'openapi-python-client',
      calls: ['jsonIndex'],
      reason: 'it parses all answers of an operation as the first type described',
    },
    {
      generator: 'hey-api',
      calls: ['index', 'csvBatch', 'ndjsonBatch'],
      reason: 'of several types of a body or an answer it keeps JSON',
    },
    {
      generator: 'orval',
      calls: ['locateAll', 'csvBatch', 'ndjsonBatch'],
      reason: 'it sends no Content-Type where a body has several types, and writes all of them as JSON',
    },
    {
      generator: 'orval',
      calls: ['locateNegotiated'],
      reason: 'an answer of several types, one of them any value, is any value',
    },
    {
      generator: 'oapi-codegen',
      calls: ['ndjsonBatch'],
      reason: 'it takes every media type with "json" in it for JSON',
    },
    {
      generator: 'openapi-generator',
      calls: [
        'locateYaml',
        'locateCallerYaml',
        'openApiYaml',
        'locateXml',
        'locateJsonp',
        'locateCallerJsonp',
      ],
      reason: 'its clients in Java read only JSON and text',
    },
    {
      generator: 'openapi-generator',
      calls: ['index', 'jsonIndex', 'csvBatch', 'ndjsonBatch'],
      reason: 'of several types of a body or an answer it keeps the first',
    },
  ],
});
