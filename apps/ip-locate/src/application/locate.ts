import type { Address } from '@workspace/ip-addresses';
import { type AddressKinds, UNKNOWN_KINDS } from '../domain/address-kinds.ts';
import type { Language } from '../domain/language.ts';
import { type Location, type NetworkOperator, UNKNOWN_OPERATOR } from '../domain/location.ts';
import { atPrecision, type Precision } from '../domain/precision.ts';
import { hostAddress, reservedRange, TRANSLATED_BITS } from '../domain/special-ranges.ts';
import type { HostName } from './host-names.ts';
import type {
  AnonymousDatabase,
  AsnDatabase,
  Current,
  DatabaseEntry,
  FurtherDatabase,
  LocationDatabase,
  Overlay,
  OverlayEntry,
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

/** Everything known about one address at one moment. */
export interface LookupResult {
  readonly address: Address;
  /** the same, or the IPv4 address that a NAT64 address contains: what databases and DNS know */
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
  readonly kinds: AddressKinds;
  /** where the location comes from; null when it is not known */
  readonly source: 'overlay' | 'database' | null;
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

export interface LocateDeps {
  locations: Current<LocationDatabase>;
  operators?: Current<AsnDatabase>;
  /** the first of these that knows an address says where it is if `locations` does not; they tell more of networks, too */
  further?: readonly Current<FurtherDatabase>[];
  anonymous?: Current<AnonymousDatabase> | undefined;
  /** searched first */
  overlay?: Current<Overlay> | undefined;
}

export const createLocate = ({
  locations,
  operators,
  further = [],
  anonymous,
  overlay,
}: LocateDeps): Locate => {
  const networks: NetworkDeps = { operators, further, anonymous };
  return (address, language, time, precision) => {
    const database = locations.current;
    if (!database) throw new NoDatabase('no database has been loaded');
    const host = hostAddress(address);
    const own = overlay?.current?.find(host, language);
    if (own) return new Located(address, host, own, networks, time, precision);
    // Databases do contain reserved addresses (DB-IP puts 6to4 and Teredo in California).
    const range = reservedRange(address);
    if (range !== undefined) throw new ReservedAddress(address, range);
    const entry = database.find(host, language);
    const known = isNothing(entry) ? firstOf(further, host, language) : undefined;
    return new Located(address, host, known ?? entry, networks, time, precision);
  };
};

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

/** What knows of networks, and not of places. */
interface NetworkDeps {
  readonly operators: Current<AsnDatabase> | undefined;
  readonly further: readonly Current<FurtherDatabase>[];
  readonly anonymous: Current<AnonymousDatabase> | undefined;
}

/** A class, because a getter in an object literal is created again for every lookup. */
class Located implements LookupResult {
  readonly address: Address;
  readonly host: Address;
  readonly location: Location;
  readonly prefixLength: number | null;
  readonly time: Date;
  hostname: HostName = null;
  readonly #entry: DatabaseEntry | OverlayEntry;
  readonly #networks: NetworkDeps;
  #kinds: AddressKinds | undefined;

  constructor(
    address: Address,
    host: Address,
    entry: DatabaseEntry | OverlayEntry,
    networks: NetworkDeps,
    time: Date,
    precision: Precision,
  ) {
    this.address = address;
    this.host = host;
    const { location, prefixLength } = entry;
    this.location = atPrecision(location, precision);
    this.prefixLength =
      host === address || prefixLength === null ? prefixLength : prefixLength + TRANSLATED_BITS;
    this.time = time;
    this.#entry = entry;
    this.#networks = networks;
  }

  get operator(): NetworkOperator {
    const own = 'operator' in this.#entry ? this.#entry.operator : undefined;
    return own ?? this.#networks.operators?.current?.find(this.host) ?? UNKNOWN_OPERATOR;
  }

  get kinds(): AddressKinds {
    return (this.#kinds ??= this.#networks.anonymous?.current?.find(this.host) ?? UNKNOWN_KINDS);
  }

  get connectionType(): string | null {
    return this.#fact('connectionType');
  }

  get domain(): string | null {
    return this.#fact('domain');
  }

  /** What the first database of a kind says. */
  #fact(name: 'connectionType' | 'domain'): string | null {
    const database = this.#networks.further.find(({ current }) => current?.[name])?.current;
    return database?.[name]?.(this.host) ?? null;
  }

  get source(): 'overlay' | 'database' | null {
    if ('operator' in this.#entry) return 'overlay';
    return this.prefixLength === null ? null : 'database';
  }
}
