import fc from 'fast-check';
import { type InFlight, SubmissionsInFlight } from './submissions-in-flight.ts';

/** Few ends, so that many ids share a slot. */
const ID = fc
  .tuple(fc.nat({ max: 99 }), fc.constantFrom('0000', '0001', 'ffff'))
  .map(([n, end]) => `${n}-${end}`);
const STEP = fc.record({ id: ID, step: fc.constantFrom('add', 'remove', 'find') });

it('does what a Map does', () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 200 }), (steps) => {
      const table = new SubmissionsInFlight();
      const map = new Map<string, InFlight>();
      for (const { id, step } of steps) {
        const known = map.get(id);
        if (step === 'add' && !known) {
          const one = { id, principal: undefined };
          table.add(one);
          map.set(id, one);
        } else if (step === 'remove') {
          table.remove(known ?? { id, principal: undefined });
          map.delete(id);
        }
        expect(table.find(id)).toBe(map.get(id));
      }
      for (const [id, one] of map) expect(table.find(id)).toBe(one);
    }),
  );
});
