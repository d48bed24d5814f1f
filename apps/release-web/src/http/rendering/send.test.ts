import { createService } from '@workspace/service-kit';
import { captureLogger } from '@workspace/testing';
import { Representation } from './representation.ts';
import { send, validityOf } from './send.ts';

const NOW = new Date('2026-01-01T00:00:00Z');

describe('send', () => {
  it('writes one large response in a turn of the event loop, however many are asked for', async () => {
    const app = createService({ logger: captureLogger().logger });
    const representation = new Representation('text/plain', 'x'.repeat(65_537));
    app.get('/', (request, reply) => send(request, reply, representation, validityOf(NOW, null), NOW));
    let answered = 0;
    const all = Array.from({ length: 16 }, async () => {
      const { body } = await app.inject('/');
      answered += 1;
      return body.length;
    });
    for (let before = 0; answered < 16; before = answered) {
      await new Promise(setImmediate);
      expect(answered - before).toBeLessThanOrEqual(1);
    }
    expect(await Promise.all(all)).toEqual(Array(16).fill(65_537));
    await app.close();
  });
});
