import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Address } from '@workspace/ip-addresses';
import { UnusableFiles } from '@workspace/service-kit';
import type { MmdbFile } from './mmdb-file.ts';
import { createRandom, randomAddress, randomEntry } from './mmdb-probe.ts';

/** What one lookup found: nothing, a record, or one that cannot be meant. */
export type Verdict = 'unknown' | 'sound' | 'absurd';

const PROBES = 2_000;
/** Lookups between two turns of the event loop: requests served meanwhile wait a few milliseconds at most. */
const PROBES_PER_TURN = 50;
/** Share of absurd records above which a file counts as damaged rather than odd. */
const ABSURD_SHARE = 0.01;

/**
 * Looks a couple of thousand addresses up before the first answer is given out of a file: half of them entries found
 * by walking the tree, half of them anywhere. A file may be readable to its last byte of metadata and yet be damaged
 * in the middle: then lookups throw, find nothing, or find nonsense.
 * @throws UnusableFiles when the file must not be used
 */
export async function verify(
  file: MmdbFile,
  families: readonly (4 | 6)[],
  look: (address: Address) => Verdict,
): Promise<void> {
  const random = createRandom();
  let found = 0;
  let absurd = 0;
  for (let probe = 0; probe < PROBES; probe++) {
    if (probe % PROBES_PER_TURN === 0) await nextTurn();
    const family = families[probe % families.length] ?? 4;
    const entry = probe % 4 < 2 ? randomEntry(file, random, family === 4) : undefined;
    const verdict = guarded(look, entry ?? randomAddress(family, random));
    if (verdict !== 'unknown') found++;
    if (verdict === 'absurd') absurd++;
  }
  if (found === 0) throw new UnusableFiles('the database holds nothing');
  if (absurd > found * ABSURD_SHARE) throw new UnusableFiles('the coordinates are not on the globe');
}

function guarded(look: (address: Address) => Verdict, address: Address): Verdict {
  try {
    return look(address);
  } catch (cause) {
    throw new UnusableFiles('the records are damaged', { cause });
  }
}
