import type { Address } from '@workspace/ip-addresses';
import { type NamedFile, UnusableFiles } from '@workspace/service-kit';
import { type AnonymousDatabase, UnreadableData } from '../../application/location-database.ts';
import {
  type AddressKinds,
  KIND_NAMES,
  type KindName,
  mergedKinds,
  UNKNOWN_KINDS,
} from '../../domain/address-kinds.ts';
import { type Members, select } from './data-section.ts';
import { infoOf } from './database-info.ts';
import { type MmdbFile, openMmdb } from './mmdb-file.ts';
import { type Reading, vendorAnonymousReader } from './vendor-reader.ts';
import { type Readers, verify } from './verification.ts';

const MEMBERS = select(Object.fromEntries(KIND_NAMES.map((name) => [name, true as const])));
/** MaxMind's records have no others. */
const MAXMIND_KINDS = KIND_NAMES.filter((name) => name !== 'is_anycast' && name !== 'is_bot');

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
  const find = (address: Address): AddressKinds => {
    try {
      return all.map((one) => one.find(address)).reduce(mergedKinds);
    } catch (cause) {
      throw new UnreadableData('the database has a damaged record', { cause });
    }
  };
  return { info: infoOf(opened), find };
};

/** One file of kinds. */
export class AnonymousFile {
  readonly #file: MmdbFile;
  /** what a record means by leaving a member out: MaxMind writes those that are true, and its reader takes others for false */
  readonly #leftOut: AddressKinds;

  constructor(file: MmdbFile) {
    if (!file.type.includes('Anonymous')) {
      throw new UnusableFiles(
        `a database of type ${JSON.stringify(file.type)} does not say what addresses are used for`,
      );
    }
    this.#file = file;
    this.#leftOut = file.type.startsWith('GeoIP') ? LEFT_OUT_BY_MAXMIND : UNKNOWN_KINDS;
  }

  find(address: Address): AddressKinds {
    const found = this.#read(address);
    if (!found) return UNKNOWN_KINDS;
    const kindOf = (name: KindName): boolean | null => {
      const value = found.members[name];
      return typeof value === 'boolean' ? value : this.#leftOut[name];
    };
    return Object.fromEntries(KIND_NAMES.map((name) => [name, kindOf(name)])) as AddressKinds;
  }

  /** @throws RangeError or TypeError when the record is damaged */
  #read(address: Address): { members: Members; prefixLength: number } | undefined {
    const found = this.#file.find(address);
    if (!found) return undefined;
    return { members: this.#file.read(found.record, MEMBERS), prefixLength: found.prefixLength };
  }

  /** The two readers of the file, to be compared: MaxMind's takes whatever is not true for false. */
  readers(): Readers {
    const own = (address: Address): Reading | undefined => {
      const found = this.#read(address);
      if (!found) return undefined;
      const { members, prefixLength } = found;
      const facts = Object.fromEntries(MAXMIND_KINDS.map((name) => [name, members[name] === true]));
      return { facts, prefixLength };
    };
    return { families: this.#file.families, own, vendors: vendorAnonymousReader(this.#file) };
  }
}

const LEFT_OUT_BY_MAXMIND: AddressKinds = {
  ...UNKNOWN_KINDS,
  ...(Object.fromEntries(MAXMIND_KINDS.map((name) => [name, false])) as Record<KindName, false>),
};
