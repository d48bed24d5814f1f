import { testHostileClients } from '@workspace/testing';
import { startService } from './service.ts';

describe('the built service under clients that take what they can get', () => {
  testHostileClients({
    start: () => startService(),
    bodyPath: '/batch',
    bodyTypes: ['application/json', 'application/x-ndjson'],
  });
});
