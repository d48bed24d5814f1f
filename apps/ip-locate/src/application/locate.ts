import type { Address } from '@workspace/ip-addresses';
import { type AddressTraits, mergedTraits, UNKNOWN_TRAITS } from '../domain/address-traits.ts';
import type { Language } from '../domain/language.ts';
import { type Location, type NetworkOperator, UNKNOWN_OPERATOR } from '../domain/location.ts';
import { hostAddress, reservedRange, writtenLength } from '../domain/special-ranges.ts';
import type { HostName } from './host-names.ts';
import {
  type AnonymousDatabase,
  type Current,
  type Databases,
  type DatabaseEntry,
  type FurtherDatabase,
  type Overlay,
  type OverlayEntry,
  UnreadableData,
} from './location-database.ts';

/** No database has been loaded yet. */
export class NoDatabase extends Error {
  override readonly name = 'NoDatabase';
}

/** An address without a location: private, loopback, multicast … */
export class ReservedAddress extends Error {
  override readonly name = 'ReservedAddress';
  readonly address: Address;
  /** name of the range, by the IANA registries */
  readonly range: string;
  constructor(address: Address, range: string) {
    super(`${address.text} is in a reserved range: ${range}.`);
    this.address = address;
    this.range = range;
  }
}

/** What answers may say of a location. */
export interface Precision {
  readonly name: string;
  /** the location without what is finer */
  readonly of: (location: Location) => Location;
}
/** All that the data has. */
export const FULL: Precision = { name: 'full', of: (location) => location };

/** Where a location comes from; `registered_country`: the data knows no more than where the network is registered. */
export type Source = 'overlay' | 'database' | 'registered_country';

/** Everything known about one address at one moment. */
export interface LookupResult {
  readonly address: Address;
  /** the same, or the IPv4 address that an address of NAT64, 6to4 or Teredo contains: what databases and DNS know */
  readonly host: Address;
  readonly location: Location;
  /** length in bits of the block the location is for; null when the address is not in the database */
  readonly prefixLength: number | null;
  /** looked up when first asked for: most answers do not contain it */
  readonly operator: NetworkOperator;
  /** `Cable/DSL`, `Cellular` …; null without a database of connection types */
  readonly connectionType: string | null;
  /** second-level domain of who uses the address; null without a database of domains */
  readonly domain: string | null;
  /** looked up when first asked for, too */
  readonly traits: AddressTraits;
  /** where the location comes from; null when it is not known */
  readonly source: Source | null;
  /** null until a host name has been looked up */
  hostname: HostName;
  /** the moment of the lookup; UTC offsets are those of this moment */
  readonly time: Date;
}

/**
 * Locates an address.
 * @param language of names; English where the data has none in that language
 * @param precision of the location
 * @throws NoDatabase, ReservedAddress, UnreadableData
 */
export type Locate = (address: Address, language: Language, time: Date, precision: Precision) => LookupResult;

export const createLocate = (databases: Databases): Locate => {
  const { locations, further = [], overlay } = databases;
  return (address, language, time, precision) => {
    const host = hostAddress(address);
    const own = overlay?.current && ownEntry(overlay.current, address, host, language);
    if (own) return new Located(address, host, own, databases, time, precision);
    // Databases do contain reserved addresses.
    const range = reservedRange(address);
    if (range !== undefined) throw new ReservedAddress(address, range);
    const entry = locations.current?.find(host, language);
    const known = !entry || isNothing(entry) ? firstOf(further, host, language) : undefined;
    const found = known ?? entry;
    if (!found) throw new NoDatabase('no database has been loaded');
    const written = { ...found, prefixLength: lengthIn(address, host, found) };
    return new Located(address, host, written, databases, time, precision);
  };
};

/** The length of the block that an entry is for, as the address is written. */
const lengthIn = (address: Address, host: Address, { prefixLength }: DatabaseEntry): number | null =>
  host === address || prefixLength === null ? prefixLength : writtenLength(address, prefixLength);

/** The entry of the smallest network that contains an address, as it is written or by its host. */
const ownEntry = (
  overlay: Overlay,
  address: Address,
  host: Address,
  language: Language,
): OverlayEntry | undefined => {
  const written = overlay.find(address, language);
  if (host === address) return written;
  const entry = overlay.find(host, language);
  const ofHost = entry && { ...entry, prefixLength: lengthIn(address, host, entry) };
  return (written?.prefixLength ?? 0) > (ofHost?.prefixLength ?? 0) ? written : ofHost;
};

/** What network data says of an address. Undefined: the data is missing, that is, not loaded or damaged at this address. */
export interface NetworkFacts {
  readonly asn: number | null | undefined;
  readonly traits: AddressTraits | undefined;
  /** whether every database that may know a country is loaded */
  readonly isWhole: boolean;
}

/** Answers from each source by itself, for who must not take a source that failed for one that knows nothing. */
export const createNetworkFacts =
  ({ operators, further = [], anonymous, overlay }: Databases): ((address: Address) => NetworkFacts) =>
  (address) => {
    const host = hostAddress(address);
    return {
      get asn() {
        const own = overlay?.current && ownEntry(overlay.current, address, host, 'en')?.operator;
        return own ? own.asn : unlessMissing(() => operators?.current?.find(host).asn);
      },
      get traits() {
        const current = anonymous?.current;
        return current && unlessMissing(() => traitsOf(current, address, host));
      },
      get isWhole() {
        return further.every(({ current }) => current !== undefined);
      },
    };
  };

const unlessMissing = <T>(find: () => T): T | undefined => {
  try {
    return find();
  } catch (error) {
    if (error instanceof UnreadableData) return undefined;
    throw error;
  }
};

/** Lists of networks may name an address as it is written, or its host. */
const traitsOf = (database: AnonymousDatabase, address: Address, host: Address): AddressTraits =>
  host === address ? database.find(host) : mergedTraits(database.find(host), database.find(address));

/** What the first database says that knows where an address is. */
const firstOf = (
  databases: readonly Current<FurtherDatabase>[],
  address: Address,
  language: Language,
): DatabaseEntry | undefined => {
  for (const { current } of databases) {
    const entry = current?.find?.(address, language);
    if (entry && !isNothing(entry)) return entry;
  }
  return undefined;
};

/** Whether a database does not say where an address is: a continent or a time zone alone is no place. */
const isNothing = ({ location: { country, region, city, latitude } }: DatabaseEntry): boolean =>
  country === null && region === null && city === null && latitude === null;

/** A class, because a getter in an object literal is created again for every lookup. */
class Located implements LookupResult {
  readonly address: Address;
  readonly host: Address;
  readonly location: Location;
  readonly prefixLength: number | null;
  readonly time: Date;
  hostname: HostName = null;
  readonly #entry: DatabaseEntry | OverlayEntry;
  readonly #databases: Databases;
  #traits: AddressTraits | undefined;

  constructor(
    address: Address,
    host: Address,
    entry: DatabaseEntry | OverlayEntry,
    databases: Databases,
    time: Date,
    precision: Precision,
  ) {
    this.address = address;
    this.host = host;
    const { location, prefixLength } = entry;
    this.location = precision.of(location);
    this.prefixLength = prefixLength;
    this.time = time;
    this.#entry = entry;
    this.#databases = databases;
  }

  get operator(): NetworkOperator {
    const own = 'operator' in this.#entry ? this.#entry.operator : undefined;
    return own ?? this.#databases.operators?.current?.find(this.host) ?? UNKNOWN_OPERATOR;
  }

  get traits(): AddressTraits {
    const current = this.#databases.anonymous?.current;
    return (this.#traits ??= current ? traitsOf(current, this.address, this.host) : UNKNOWN_TRAITS);
  }

  get connectionType(): string | null {
    return this.#fact('connectionType');
  }

  get domain(): string | null {
    return this.#fact('domain');
  }

  /** What the first database of a model says. */
  #fact(name: 'connectionType' | 'domain'): string | null {
    const database = this.#databases.further?.find(({ current }) => current?.[name])?.current;
    return database?.[name]?.(this.host) ?? null;
  }

  get source(): Source | null {
    if ('operator' in this.#entry) return 'overlay';
    if (this.location.isRegistered) return 'registered_country';
    return this.prefixLength === null ? null : 'database';
  }
}
