import { testApiClients, testApiReference } from '@workspace/testing';
import { type RunningService, startService } from './service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

testApiReference({
  url: () => service.url,
  tried: {
    operationId: 'branch',
    parameters: { branch: '8.4' },
    status: '200',
    shows: { item: { branch: '8.4' } },
  },
});

testApiClients({
  url: () => service.url,
  calls: [
    { operationId: 'branch' },
    { operationId: 'branch', path: { branch: '99.0' } },
    { operationId: 'phpReleaseIndex', query: { json: '1' } },
    { operationId: 'support', query: { version: '8.4.20' } },
  ],
  leftOut: [
    {
      generator: 'openapi-generator',
      calls: ['openApiYaml', 'atomFeed', 'branchAtomFeed', 'timeline'],
      reason: 'its clients in Java read only JSON and text',
    },
    {
      generator: 'openapi-generator',
      calls: ['openApiJson'],
      reason: 'it reads JSON of a type that is not application/json as ISO 8859-1',
    },
    {
      generator: 'openapi-generator',
      calls: [
        'preReleaseBuilds',
        'phpReleaseIndex',
        'phpActive',
        'phpStates',
        'endoflifeCycles',
        'endoflifeCycle',
      ],
      reason: 'of several types of an answer or a member it keeps one',
    },
  ],
});
