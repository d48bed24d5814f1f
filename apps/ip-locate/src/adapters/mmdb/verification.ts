import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Address, networkOf } from '@workspace/ip-addresses';
import { UnusableFiles } from '@workspace/service-process';
import { type Language, LANGUAGES } from '../../domain/language.ts';
import type { MmdbFile } from './mmdb-file.ts';
import { createRandom, randomAddress, randomEntry } from './sample-addresses.ts';
import type { Reading, ReferenceReader } from './reference-reader.ts';

/** The two readers of a file, and what its entries must be like. */
export interface Readers {
  readonly families: readonly (4 | 6)[];
  /** this service's own; undefined when an address is not in the file */
  readonly own: (address: Address, language: Language) => Reading | undefined;
  readonly reference: ReferenceReader;
  /** whether the facts of an entry can be meant */
  readonly isPlausible?: (facts: object) => boolean;
}

const PROBES = 2_000;
/** Networks that both readers read; each takes the reference reader's about 35 µs. */
const COMPARED = 300;
/** Lookups between two turns of the event loop: requests served meanwhile wait a few milliseconds at most. */
const PROBES_PER_TURN = 50;
/** Share of implausible entries above which a file counts as damaged rather than odd. */
const MAX_IMPLAUSIBLE_SHARE = 0.01;

/**
 * Looks up two thousand addresses before a file serves its first answer: half of them entries found by walking the tree,
 * half of them random addresses. A file may have sound metadata and yet be damaged in the middle; then lookups throw,
 * find nothing, or find nonsense. Entries of another maker's shape say nothing. The first 300 networks that are found
 * are read by MaxMind's own library, too, in all languages by turns, and it must say the same.
 * @throws UnusableFiles when the file must not be used
 */
export const verify = async (file: MmdbFile, readers: Readers): Promise<void> => {
  const { families, own, reference, isPlausible } = readers;
  const random = createRandom();
  let found = 0;
  let implausible = 0;
  let saysSomething = false;
  for (let count = 0; count < PROBES; count++) {
    if (count % PROBES_PER_TURN === 0) await nextTurn();
    const family = families[count % families.length] ?? 4;
    const entry = count % 4 < 2 ? randomEntry(file, random, family === 4) : undefined;
    const address = entry ?? randomAddress(family, random);
    const language = LANGUAGES[count % LANGUAGES.length] ?? 'en';
    const reading = unlessDamaged(() => own(address, language));
    if (reading && found < COMPARED) {
      const difference = differenceOf(
        reading,
        unlessDamaged(() => reference(address, language)),
      );
      if (difference !== undefined) throw disagreement(difference, address, reading.prefixLength);
    } else {
      const [decoded, prefixLength] = unlessDamaged(() => file.decode(address));
      if ((decoded === null) !== (reading === undefined)) {
        throw disagreement('entry', address, prefixLength);
      }
    }
    if (!reading) continue;
    found++;
    saysSomething ||= Object.values(reading.facts).some((fact) => known(fact) !== undefined);
    if (isPlausible?.(reading.facts) === false) implausible++;
  }
  if (found === 0) throw new UnusableFiles('the database is empty');
  if (!saysSomething) throw new UnusableFiles('the entries have no member that this service knows');
  if (implausible > found * MAX_IMPLAUSIBLE_SHARE)
    throw new UnusableFiles('the coordinates are not on the globe');
};

/** The first thing that two readers do not agree about, by name. */
export const differenceOf = (own: Reading, reference: Reading | undefined): string | undefined => {
  if (!reference) return 'entry';
  if (own.prefixLength !== reference.prefixLength) return 'network';
  const [ours, theirs] = [own.facts, reference.facts] as Record<string, unknown>[];
  const names = new Set([...Object.keys(ours ?? {}), ...Object.keys(theirs ?? {})]);
  return [...names].find((name) => !Object.is(known(ours?.[name]), known(theirs?.[name])));
};

/** What a location can be made of. */
const known = (value: unknown): unknown =>
  value !== '' && ['string', 'number', 'boolean'].includes(typeof value) ? value : undefined;

const disagreement = (what: string, address: Address, prefixLength: number): UnusableFiles =>
  new UnusableFiles(
    `MaxMind's own library reads another "${what}" at ${networkOf(address, prefixLength)} than this service`,
  );

const unlessDamaged = <T>(read: () => T): T => {
  try {
    return read();
  } catch (cause) {
    throw new UnusableFiles('the entries are damaged', { cause });
  }
};
