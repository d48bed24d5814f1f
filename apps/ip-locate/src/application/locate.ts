import type { Address } from '@workspace/ip-addresses';
import type { Language } from '../domain/language.ts';
import { type Location, type NetworkOperator, UNKNOWN_OPERATOR } from '../domain/location.ts';
import { atPrecision, type Precision } from '../domain/precision.ts';
import { hostAddress, reservedRange, TRANSLATED_BITS } from '../domain/special-ranges.ts';
import type { HostName } from './host-names.ts';
import type {
  AsnDatabase,
  Current,
  DatabaseEntry,
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
  /** searched first */
  overlay?: Current<Overlay> | undefined;
}

export const createLocate =
  ({ locations, operators, overlay }: LocateDeps): Locate =>
  (address, language, time, precision) => {
    const database = locations.current;
    if (!database) throw new NoDatabase('no database has been loaded');
    const host = hostAddress(address);
    const own = overlay?.current?.find(host, language);
    if (own) return new Located(address, host, own, operators, time, precision);
    // Databases do contain reserved addresses (DB-IP puts 6to4 and Teredo in California).
    const range = reservedRange(address);
    if (range !== undefined) throw new ReservedAddress(address, range);
    return new Located(address, host, database.find(host, language), operators, time, precision);
  };

/** A class, because a getter in an object literal is created again for every lookup. */
class Located implements LookupResult {
  readonly address: Address;
  readonly host: Address;
  readonly location: Location;
  readonly prefixLength: number | null;
  readonly time: Date;
  hostname: HostName = null;
  readonly #entry: DatabaseEntry | OverlayEntry;
  readonly #operators: Current<AsnDatabase> | undefined;

  constructor(
    address: Address,
    host: Address,
    entry: DatabaseEntry | OverlayEntry,
    operators: Current<AsnDatabase> | undefined,
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
    this.#operators = operators;
  }

  get operator(): NetworkOperator {
    const own = 'operator' in this.#entry ? this.#entry.operator : undefined;
    return own ?? this.#operators?.current?.find(this.host) ?? UNKNOWN_OPERATOR;
  }

  get source(): 'overlay' | 'database' | null {
    if ('operator' in this.#entry) return 'overlay';
    return this.prefixLength === null ? null : 'database';
  }
}
