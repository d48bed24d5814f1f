import fc from 'fast-check';
import { KeyTable, NONE } from './key-table.ts';

/** The entries of a table, the least recently used first: it is emptied. */
const emptied = (table: KeyTable): number[] => {
  const entries: number[] = [];
  while (table.oldest !== NONE) {
    entries.push(table.oldest);
    table.remove(table.oldest);
  }
  return entries;
};

describe('a table of keys', () => {
  it('does what a map of objects does, in any order', () => {
    const steps = fc.array(fc.record({ step: fc.constantFrom('add', 'remove', 'touch'), id: fc.nat(40) }), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(steps, (history) => {
        const table = new KeyTable();
        const model = new Map<string, { entry: number; fingerprint: string }>();
        for (const [at, { step, id: number }] of history.entries()) {
          const id = `${'x'.repeat(number % 30)}${number}`;
          const known = model.get(id);
          expect(table.find(id)).toBe(known?.entry ?? NONE);
          if (known) expect(table.hasFingerprint(known.entry, known.fingerprint)).toBe(true);
          if (known && step !== 'add') model.delete(id);
          if (known && step === 'remove') table.remove(known.entry);
          if (known && step === 'touch') {
            table.touch(known.entry);
            model.set(id, known);
          }
          if (known || step !== 'add') continue;
          const [entry, fingerprint] = [table.add(), `of step ${at}`];
          table.setFingerprint(entry, fingerprint);
          expect(table.hasFingerprint(entry, `${fingerprint}.`)).toBe(false);
          expect(table.principal[entry]).toBeUndefined();
          table.principal[entry] = id;
          model.set(id, { entry, fingerprint });
        }
        expect(table.size).toBe(model.size);
        expect(emptied(table)).toEqual([...model.values()].map(({ entry }) => entry));
      }),
    );
  });

  it('keeps everything while it grows', () => {
    const table = new KeyTable();
    const ids = Array.from({ length: 10_000 }, (_, at) => `id ${at}`);
    for (const [at, id] of ids.entries()) {
      if (table.find(id) !== NONE) throw new Error(`${id} before it was added`);
      const entry = table.add();
      table.setFingerprint(entry, `fingerprint ${at}`);
      table.offset[entry] = 2 ** 40 + at;
    }
    for (const [at, id] of ids.entries()) {
      const entry = table.find(id);
      const isKept = table.hasFingerprint(entry, `fingerprint ${at}`) && table.offset[entry] === 2 ** 40 + at;
      if (!isKept) throw new Error(`${id} has changed`);
      if (at % 3 === 0) table.remove(entry);
    }
    expect(ids.filter((id) => table.find(id) === NONE)).toEqual(ids.filter((_, at) => at % 3 === 0));
    expect(emptied(table)).toHaveLength(6_666);
  });

  it('takes no text that it has no room for', () => {
    const table = new KeyTable();
    expect(() => table.find('x'.repeat(37))).toThrow('longer than 36 characters');
    table.find('x'.repeat(36));
    const entry = table.add();
    expect(() => table.setFingerprint(entry, 'y'.repeat(45))).toThrow('longer than 44 characters');
  });
});
