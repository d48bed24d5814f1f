import { testHostileClients } from '@workspace/testing';
import { startService } from './support/service.ts';

describe('the built service under clients that take what they can get', () => {
  testHostileClients({
    start: (env) => startService({ KAFKA_BOOTSTRAP_SERVERS: 'localhost:1', DRAIN_DELAY_MS: '0', ...env }),
    bodyPath: '/operations',
    // BODIES_BYTES, as bytes, as text and as what was received.
    heldBodiesMegabytes: 96,
    numberedPath: '/operations/{n}',
  });
});
