import { Clock } from './clock.ts';
import { KeyStore } from './key-store.ts';
import { Machine } from './machine.ts';
import { Network } from './network.ts';
import { drawFrom } from './random.ts';

const claimOf = (id: string) => ({ id, fingerprint: 'f', owner: `owner of ${id}` });

/** A key store with the connections of two instances; `first` was claimed two seconds ago, `last` at last. */
const failedOver = async (isReplicated: boolean) => {
  const clock = new Clock();
  const draw = drawFrom(1);
  const times = { ttlMs: 60_000, leaseMs: 30_000 };
  const store = new KeyStore(new Machine('store', clock, draw), { ...times, isReplicated });
  const network = new Network(clock, draw);
  const events = {
    connected: () => undefined,
    failed: () => undefined,
    call: <Answer>(answer: Answer) => answer,
  };
  const [one, other] = ['one', 'other'].map((name) =>
    store.connect(new Machine(name, clock, draw), network, events as never),
  );
  const run = async <Answer>(answer: Promise<Answer>, milliseconds = 300): Promise<Answer> => {
    await clock.runUntil(clock.now + milliseconds);
    return answer;
  };
  const claim = (server: typeof one, id: string) => run(server!.claim(claimOf(id)));
  await claim(other, 'first');
  await clock.runUntil(2_000);
  await claim(one, 'last');
  const before = clock.now;
  store.failOver(1_000);
  return { store, clock, before, one: one!, claim: (id: string) => claim(other, id), run };
};

describe('a failover of the simulated key store', () => {
  it('loses the claims of the last second, and knows until when no instance noticed', async () => {
    const { store, clock, before, one, claim, run } = await failedOver(false);
    expect((await claim('first')).answer.state).toBe('in-flight');
    expect((await claim('last')).answer.state).toBe('claimed');
    expect([store.hadForgotten('last', before), store.hadForgotten('first', before)]).toEqual([true, false]);
    await run(one.probe());
    const noticed = clock.now;
    await clock.runUntil(noticed + 1_000);
    expect([store.hadForgotten('last', before), store.hadForgotten('last', clock.now)]).toEqual([
      true,
      false,
    ]);
  });

  it('loses nothing that was answered when it is replicated', async () => {
    const { store, before, claim } = await failedOver(true);
    expect((await claim('last')).answer.state).toBe('in-flight');
    expect(store.hadForgotten('last', before)).toBe(false);
  });
});
