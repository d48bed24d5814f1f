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
});
