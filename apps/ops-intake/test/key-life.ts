import { randomUUID } from 'node:crypto';
import type { IdempotencyStore, KeyClaim, KeyOutcome } from '../src/application/idempotency-store.ts';
import { acceptedSubmission } from '../src/application/submission-record.ts';

/** `in flight again`: an earlier attempt may have published the submission. */
const STATES = ['free', 'in flight', 'in flight again', 'unknown', 'accepted'] as const;
export type KeyState = (typeof STATES)[number];

/** How a claim is answered. `claimed` makes the key `in flight`, `claimed again` makes it `in flight again`; others change nothing. */
const CLAIMS = `
                                  | free    | in flight     | in flight again | unknown         | accepted
  leased: claim                   | claimed | in-flight     | in-flight       | unknown, leased | accepted
  leased: claim, not in the log   | claimed | in-flight     | in-flight       | unknown, leased | accepted
  leased: another payload         | claimed | reused        | reused          | reused          | reused
  over: claim                     | claimed | unknown       | unknown         | unknown         | accepted
  over: claim, not in the log     | claimed | claimed again | claimed again   | claimed again   | accepted
  over: another payload           | claimed | reused        | reused          | reused          | reused`;

/** What a settlement makes of a key, whether its lease is over or not; nothing where the table is empty. */
const SETTLEMENTS = `
                                  | free     | in flight       | in flight again | unknown  | accepted
  owner: accepted                 | accepted | accepted        | accepted        | accepted |
  owner: not-published            |          | free            | unknown         |          |
  owner: unknown                  | unknown  | unknown         | unknown         |          |
  another: accepted               | accepted | accepted        | accepted        | accepted |
  another: not-published          |          |                 |                 |          |
  another: unknown                | unknown  | in flight again |                 |          |
  another payload: accepted       | accepted |                 |                 |          |
  another payload: not-published  |          |                 |                 |          |
  another payload: unknown        | unknown  |                 |                 |          |`;

const rowsOf = (table: string): [string, Record<KeyState, string>][] =>
  table
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [name = '', ...cells] = line.split('|').map((cell) => cell.trim());
      const byState = Object.fromEntries(STATES.map((state, column) => [state, cells[column]!]));
      return [name, byState as Record<KeyState, string>];
    });

const OUTCOMES = (id: string): Record<string, KeyOutcome> => ({
  accepted: {
    outcome: 'accepted',
    answer: acceptedSubmission(id, 1, { topic: 't', partition: 0, offset: 7 }),
  },
  'not-published': { outcome: 'not-published', reason: 'withdrawn' },
  unknown: { outcome: 'unknown' },
});

/** One key of a store, and who has it. */
interface Key {
  readonly store: IdempotencyStore;
  readonly id: string;
  owner: KeyClaim;
}

const ANOTHER = { owner: 'another' };
const ANOTHER_PAYLOAD = { owner: 'another', fingerprint: 'another payload' };

const settle = ({ store, id, owner }: Key, by: Partial<KeyClaim>, outcome: string): Promise<void> =>
  store.settle({ ...owner, ...by }, OUTCOMES(id)[outcome]!);

const claim = async (key: Key, by: Partial<KeyClaim>): Promise<string> => {
  const claimed = { ...key.owner, ...by };
  const answer = await key.store.claim(claimed);
  if (answer.state === 'claimed') {
    key.owner = claimed;
    return answer.outcomeUnknown ? 'claimed again' : 'claimed';
  }
  return answer.state === 'unknown' && answer.isLeased ? 'unknown, leased' : answer.state;
};

/** A key that has come into a state. */
const keyIn = async (store: IdempotencyStore, state: KeyState): Promise<Key> => {
  const id = randomUUID();
  const key: Key = { store, id, owner: { id, fingerprint: 'f', owner: 'owner' } };
  if (state !== 'free') await claim(key, {});
  if (state === 'in flight again') await settle(key, ANOTHER, 'unknown');
  if (state === 'unknown' || state === 'accepted') await settle(key, {}, state);
  return key;
};

/** The state of a key, which this may change: what its owner does not publish is free, or unknown. */
const stateOf = async (key: Key): Promise<KeyState> => {
  const before = (await key.store.find(key.id, undefined))?.state;
  if (before === undefined) return 'free';
  if (before === 'accepted') return 'accepted';
  await settle(key, {}, 'not-published');
  const after = await key.store.find(key.id, undefined);
  if (!after) return 'in flight';
  return before === 'in-flight' ? 'in flight again' : 'unknown';
};

export type Lease = 'leased' | 'over';

/** Once its lease is over, a key in flight again is not different from an unknown one. */
const asSeen = (state: KeyState, lease: Lease): KeyState =>
  lease === 'over' && state === 'in flight again' ? 'unknown' : state;

/** The calls that the table has for a state, with their answers and the states that they lead to. */
export const expectedLife = (state: KeyState, lease: Lease): string[] => {
  const next = { claimed: 'in flight', 'claimed again': 'in flight again' } as Record<string, KeyState>;
  return [
    ...rowsOf(CLAIMS)
      .filter(([call]) => call.startsWith(lease))
      .map(([call, { [state]: answer }]) => `${call} → ${answer} → ${asSeen(next[answer] ?? state, lease)}`),
    ...rowsOf(SETTLEMENTS).map(
      ([call, { [state]: to }]) => `${call} → ${asSeen((to || state) as KeyState, lease)}`,
    ),
  ];
};

/**
 * Makes each call of the table on a key of its own in a state.
 * @param pass lets the leases pass that are over
 * @returns as `expectedLife`
 */
export const lifeIn = async (
  store: IdempotencyStore,
  state: KeyState,
  lease: Lease,
  pass: () => Promise<void>,
): Promise<string[]> => {
  const claims = {
    claim: {},
    'claim, not in the log': { isAbsent: true },
    'another payload': ANOTHER_PAYLOAD,
  };
  const settlers = { owner: {}, another: ANOTHER, 'another payload': ANOTHER_PAYLOAD };
  const calls: [string, (key: Key) => Promise<string>][] = [
    ...Object.entries(claims).map(([name, by]): (typeof calls)[number] => [
      `${lease}: ${name}`,
      async (key) => ` → ${await claim(key, { owner: 'retry', ...by })}`,
    ]),
    ...Object.entries(settlers).flatMap(([who, by]) =>
      Object.keys(OUTCOMES('')).map((outcome): (typeof calls)[number] => [
        `${who}: ${outcome}`,
        async (key) => settle(key, by, outcome).then(() => ''),
      ]),
    ),
  ];
  const keys = await Promise.all(calls.map(() => keyIn(store, state)));
  await pass();
  const answers = await Promise.all(calls.map(([, call], index) => call(keys[index]!)));
  await pass();
  const states = await Promise.all(keys.map(stateOf));
  return calls.map(([name], index) => `${name}${answers[index]} → ${states[index]}`);
};

/** Every state that a key can be in, while its lease lasts and after. */
export const KEY_STATES: readonly [KeyState, Lease][] = STATES.flatMap((state) => [
  [state, 'leased'],
  [state, 'over'],
]);
