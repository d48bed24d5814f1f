import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Corpus } from '../src/fuzz/corpus.ts';
import { instrumented } from '../src/fuzz/instrument.ts';
import { mutated } from '../src/fuzz/mutation.ts';
import { seededRandom } from '../src/seeded-random.ts';

const FOLDER = join(__dirname, '../fuzz');

const fuzz = (...options: string[]): Promise<{ code: number; printed: string }> => {
  const args = ['--disable-warning=ExperimentalWarning', join(__dirname, '../fuzz/main.ts'), ...options];
  return promisify(execFile)('tsx', args).then(
    ({ stdout }) => ({ code: 0, printed: stdout }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      printed: stdout + stderr,
    }),
  );
};

describe('the fuzzer', () => {
  afterAll(() => rmSync(join(FOLDER, 'corpus'), { recursive: true, force: true }));

  it.each([
    ['word', '"fuz"', 'Error: found'],
    ['endless', '!!', 'it does not end within 1 s'],
    ['square', '', /\d+ branches for \d+ bytes/],
  ])('finds a defect, says what shows it, and keeps that: %s', async (target, input, reason) => {
    const { code, printed } = await fuzz(
      `--target=${target}`,
      '--seconds=30',
      '--hang-seconds=1',
      '--seed=1',
    );
    expect(printed).toContain('FAILED: it ends');
    expect(printed).toContain(input);
    expect(printed).toMatch(reason);
    expect(code).toBe(1);
    expect(new Corpus(FOLDER, target).read()).toHaveLength(1);
  });

  it('finds nothing in what is sound', async () => {
    const { code, printed } = await fuzz('--target=sound', '--seconds=1');
    expect(printed).toMatch(/^sound: \d{3,} inputs, \d+ branches\n$/m);
    expect(code).toBe(0);
  });
});

describe('instrumented code', () => {
  const source = `
    const twice = (x) => x * 2, pair = (x) => ({ x });
    const sum = (...all) => { let sum = 0; for (const one of all) if (one > 2) sum += one; else if (one < 0) continue; return sum; };
    const kind = (x) => { switch (x) { case 1: case 2: return 'low'; default: return x ? 'high' : 'none'; } };
    const first = (a, b) => a ?? (b || 'none');
    const nested = (a, b) => { if (a) if (b) return 1; return 2; };
    do twice(1); while (false);
    return [twice(2), pair(1), sum(1, 2, 3, -1, 4), [0, 1, 2, 3].map(kind), first(null, ''), nested(1, 0), nested(1, 1)];`;
  it('does the same, and counts branches', () => {
    let branches = 0;
    const counts = ((globalThis as Record<symbol, unknown>)[Symbol.for('fuzz counts')] = new Uint32Array(
      100,
    ));
    const text = instrumented(source, () => branches++);
    expect(new Function(text)()).toEqual(new Function(source)());
    // No call takes the empty else of `if (a)`.
    expect([branches, counts.filter((count) => count > 0).length]).toEqual([22, 21]);
  });
});

describe('mutations', () => {
  it('are the same for the same seed, within the limit, and have all kinds of bytes', () => {
    const sources = { others: [Buffer.from('other')], dictionary: [Buffer.from('word')], mostBytes: 20 };
    const some = (seed: number): string[] => {
      const random = seededRandom(seed);
      return Array.from({ length: 2_000 }, () =>
        mutated(random, Buffer.from('some 12 text'), sources).toString('latin1'),
      );
    };
    expect(some(1)).toEqual(some(1));
    expect(some(1)).not.toEqual(some(2));
    expect(Math.max(...some(1).map(({ length }) => length))).toBe(20);
    expect(new Set(some(1).join('')).size).toBeGreaterThan(200);
  });
});
