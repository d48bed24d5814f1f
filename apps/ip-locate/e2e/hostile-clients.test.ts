import { testHostileClients } from '@workspace/testing';
import { startService } from './service.ts';

describe('the built service under clients that take what they can get', () => {
  testHostileClients({
    start: startService,
    bodyPath: '/batch',
    numberedPath: '/8.8.8.8/json/{n}',
    bodyTypes: ['application/json', 'application/x-ndjson'],
  });
});
