import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Event, type State, transition, TRANSITIONS } from './transitions.ts';

const page = readFileSync(join(__dirname, '../../docs/partitions.md'), 'utf8');

/** `from event → to, action`, one for each transition of the list. */
const documented = [...page.matchAll(/^- \*\*(\w+):\*\* (.*→.*)$/gm)].flatMap(([, from, ways]) =>
  ways!.split('; ').flatMap((way) => {
    const [, events, action = '', to] = /^(.+?)(?: \((.+)\))? → (\w+)$/.exec(way)!;
    return events!.split(', ').map((event) => `${from} ${event} → ${to} ${action}`.trim());
  }),
);

const states = Object.keys(TRANSITIONS) as State[];
const coded = states.flatMap((from) =>
  Object.entries(TRANSITIONS[from]).map(([event, { to, action = '' }]) =>
    `${from} ${event} → ${to} ${action}`.trim(),
  ),
);

describe('the states of a partition', () => {
  it('are those of docs/partitions.md', () => {
    expect(coded.toSorted()).toEqual(documented.toSorted());
  });

  it('settle a batch that may be in the log as accepted or unknown, never as not published', () => {
    const actions = Object.values(TRANSITIONS.resending).map(({ action }) => action);
    expect([...new Set(actions)].toSorted()).toEqual(['accept', 'give-up', undefined]);
  });

  it('keep a batch until its outcome is known: no way leaves `sending` and `resending` without an action', () => {
    for (const from of ['sending', 'resending'] as const) {
      for (const { to, action } of Object.values(TRANSITIONS[from])) {
        expect([to, action === undefined]).toEqual([to, to === 'resending']);
      }
    }
  });

  it('reject what cannot happen', () => {
    const events = new Set(states.flatMap((state) => Object.keys(TRANSITIONS[state]) as Event[]));
    for (const event of events)
      expect(() => transition('stopped', event)).toThrow(/no transition from stopped/);
    expect(() => transition('ready', 'appended')).toThrow('no transition from ready on appended');
  });
});
