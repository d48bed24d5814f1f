import { testHostileClients } from '@workspace/testing';
import { startService } from './service.ts';

describe('the built service under clients that take what they can get', () => {
  testHostileClients({
    start: startService,
    bodyPath: '/releases/',
    numberedPath: '/api/v1/releases/8.4.{n}',
  });
});
