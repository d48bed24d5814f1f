import { testHostileClients } from '@workspace/testing';
import { startService } from './support/service.ts';

describe('the built service under clients that take what they can get', () => {
  testHostileClients({
    start: () => startService({ KAFKA_BOOTSTRAP_SERVERS: 'localhost:1', DRAIN_DELAY_MS: '0' }),
    bodyPath: '/operations',
  });
});
