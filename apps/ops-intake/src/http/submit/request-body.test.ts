import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createBodyBudget } from './request-body.ts';

const LENGTH = 100_000;

const body = () => ({
  request: { raw: {}, headers: { 'content-length': String(LENGTH) } } as unknown as FastifyRequest,
  reply: { raw: new EventEmitter() } as unknown as FastifyReply,
});

describe('the budget of bodies', () => {
  const budget = () =>
    createBodyBudget({
      bytes: LENGTH,
      limitBytes: LENGTH,
      clientsOf: () => [{ network: '192.0.2.1', shares: 1 }],
      full: () => new Error('full') as never,
    });

  it('has no room for another while the body of a client that has gone is worked on', async () => {
    const { admit, watch, count, during } = budget();
    const gone = body();
    watch(gone.request, gone.reply);
    count(gone.request, LENGTH);
    let resolve: (text: string) => void = () => undefined;
    const worked = during(gone.request, new Promise<string>((end) => (resolve = end)));
    gone.reply.raw.emit('close');
    expect(() => admit(body().request)).toThrow('full');
    resolve('read');
    expect(await worked).toBe('read');
    admit(body().request);
  });

  it('holds nothing for a client that has gone before it is admitted', () => {
    const { admit, watch } = budget();
    for (let n = 0; n < 100; n += 1) {
      const gone = body();
      watch(gone.request, gone.reply);
      gone.reply.raw.emit('close');
      admit(gone.request);
    }
    const last = body();
    watch(last.request, last.reply);
    expect(() => admit(last.request)).not.toThrow();
  });
});
