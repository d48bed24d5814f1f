import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Address } from '@workspace/ip-addresses';
import { UnusableFiles } from '@workspace/service-kit';
import type { MmdbFile } from './mmdb-file.ts';
import { createRandom, randomAddress, randomEntry } from './sample-addresses.ts';

/** What one lookup found: nothing, a record, or a record that cannot be meant. */
export type ProbeOutcome = 'not found' | 'plausible' | 'implausible';

const PROBES = 2_000;
/** Lookups between two turns of the event loop: requests served meanwhile wait a few milliseconds at most. */
const PROBES_PER_TURN = 50;
/** Share of implausible records above which a file counts as damaged rather than odd. */
const MAX_IMPLAUSIBLE_SHARE = 0.01;

/**
 * Looks up two thousand addresses before a file serves its first answer: half of them entries found by walking the tree,
 * half of them random addresses. A file may have sound metadata and yet be damaged in the middle; then lookups throw,
 * find nothing, or find nonsense.
 * @throws UnusableFiles when the file must not be used
 */
export const verify = async (
  file: MmdbFile,
  families: readonly (4 | 6)[],
  probe: (address: Address) => ProbeOutcome,
): Promise<void> => {
  const random = createRandom();
  let found = 0;
  let implausible = 0;
  for (let count = 0; count < PROBES; count++) {
    if (count % PROBES_PER_TURN === 0) await nextTurn();
    const family = families[count % families.length] ?? 4;
    const entry = count % 4 < 2 ? randomEntry(file, random, family === 4) : undefined;
    const address = entry ?? randomAddress(family, random);
    const outcome = outcomeOf(() => {
      file.decode(address);
      return probe(address);
    });
    if (outcome !== 'not found') found++;
    if (outcome === 'implausible') implausible++;
  }
  if (found === 0) throw new UnusableFiles('the database is empty');
  if (implausible > found * MAX_IMPLAUSIBLE_SHARE)
    throw new UnusableFiles('the coordinates are not on the globe');
};

const outcomeOf = (probe: () => ProbeOutcome): ProbeOutcome => {
  try {
    return probe();
  } catch (cause) {
    throw new UnusableFiles('the records are damaged', { cause });
  }
};
