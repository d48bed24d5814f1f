import type { Address } from '@workspace/ip-addresses';
import { type NamedFile, UnusableFiles } from '@workspace/service-process';
import { type AnonymousDatabase, UnreadableData } from '../../application/location-database.ts';
import {
  type AddressTraits,
  TRAIT_NAMES,
  type TraitName,
  mergedTraits,
  UNKNOWN_TRAITS,
} from '../../domain/address-traits.ts';
import { select } from '../../adapters/mmdb/data-section.ts';
import { infoOf } from '../../adapters/mmdb/database-info.ts';
import { type MmdbFile, openMmdb } from '../../adapters/mmdb/mmdb-file.ts';
import { decodedReader, type Reading } from '../../adapters/mmdb/reference-reader.ts';
import { type Readers, verify } from '../../adapters/mmdb/verification.ts';

const MEMBERS = select(Object.fromEntries(TRAIT_NAMES.map((name) => [name, true as const])));
/** MaxMind's entries have no others. */
const MAXMIND_TRAITS = TRAIT_NAMES.filter((name) => name !== 'is_anycast' && name !== 'is_bot');

/**
 * Opens and verifies files that say what addresses are used for: GeoIP2-Anonymous-IP, GeoIP-Anonymous-Plus, or what
 * `ip-locate-data` has made of published lists. Several complete each other.
 * @throws UnusableFiles saying why the files must not be used
 */
export const openAnonymousDatabase = async (files: readonly NamedFile[]): Promise<AnonymousDatabase> => {
  const opened = files.map(({ name, bytes }) => ({ name, file: openMmdb(bytes) }));
  if (opened.length === 0) throw new UnusableFiles('no file is named');
  const all: AnonymousFile[] = [];
  for (const { file } of opened) {
    const one = new AnonymousFile(file);
    await verify(file, one.readers());
    all.push(one);
  }
  const find = (address: Address): AddressTraits => {
    try {
      return all.map((one) => one.find(address)).reduce(mergedTraits);
    } catch (cause) {
      throw new UnreadableData('the database has a damaged entry', { cause });
    }
  };
  return { info: await infoOf(opened), find };
};

/** One file of traits. */
export class AnonymousFile {
  readonly #file: MmdbFile;
  /** what an entry means by leaving a member out: MaxMind writes those that are true, and its reader takes others for false */
  readonly #leftOut: AddressTraits;

  constructor(file: MmdbFile) {
    if (!file.type.includes('Anonymous')) {
      throw new UnusableFiles(
        `a database of type ${JSON.stringify(file.type)} does not say what addresses are used for`,
      );
    }
    this.#file = file;
    this.#leftOut = file.type.startsWith('GeoIP') ? LEFT_OUT_BY_MAXMIND : UNKNOWN_TRAITS;
  }

  /** @throws RangeError or TypeError when the entry is damaged */
  find(address: Address): AddressTraits {
    const found = this.#file.find(address, MEMBERS);
    if (!found) return UNKNOWN_TRAITS;
    const traitOf = (name: TraitName): boolean | null => {
      const value = found.members[name];
      return typeof value === 'boolean' ? value : this.#leftOut[name];
    };
    return Object.fromEntries(TRAIT_NAMES.map((name) => [name, traitOf(name)])) as AddressTraits;
  }

  /** The two readers of the file, to be compared; an entry says false by leaving a member out. */
  readers(): Readers {
    const own = (address: Address): Reading | undefined => {
      const found = this.#file.find(address, MEMBERS);
      if (!found) return undefined;
      const { members, prefixLength } = found;
      const facts = Object.fromEntries(MAXMIND_TRAITS.map((name) => [name, members[name] === true]));
      return { facts, prefixLength };
    };
    const reference = decodedReader(this.#file, (entry: Record<string, unknown>) =>
      Object.fromEntries(MAXMIND_TRAITS.map((name) => [name, entry[name] || false])),
    );
    return { families: this.#file.families, own, reference };
  }
}

const LEFT_OUT_BY_MAXMIND: AddressTraits = {
  ...UNKNOWN_TRAITS,
  ...(Object.fromEntries(MAXMIND_TRAITS.map((name) => [name, false])) as Record<TraitName, false>),
};
