import type { Address } from '@workspace/ip-addresses';
import type { AddressTraits } from '../domain/address-traits.ts';
import type { Language } from '../domain/language.ts';
import type { Location, NetworkOperator } from '../domain/location.ts';

/** Who made the data; decides the attribution, and whether time zones have to be derived from coordinates. */
export type Provider = 'db-ip' | 'geolite' | 'geoip' | 'routeviews' | 'other';

/** What an open database says about itself. */
export interface DatabaseInfo {
  /** the type each file claims: `GeoLite2-City` */
  readonly types: readonly string[];
  readonly provider: Provider;
  /** when it was built; the older date of two files; null when the file does not say or says nonsense */
  readonly builtAt: Date | null;
  /** changes whenever any answer may change */
  readonly fingerprint: string;
}

export interface DatabaseEntry {
  /** UNKNOWN_LOCATION when the address is not in the database */
  readonly location: Location;
  /** length in bits of the block the entry is for; null when the address is not in the database */
  readonly prefixLength: number | null;
}

/**
 * Port: address → location. One database version, open, verified and immutable; newer data is a new LocationDatabase.
 * An address that is not in the database is not an error.
 */
export interface LocationDatabase {
  readonly info: DatabaseInfo;
  /** @throws UnreadableData when the entry is damaged */
  find(address: Address, language: Language): DatabaseEntry;
}

/** Port: address → what a database besides the first one says. A database has one of the three. */
export interface FurtherDatabase {
  readonly info: DatabaseInfo;
  /** where an address is that the first database knows nothing of */
  readonly find?: LocationDatabase['find'];
  /** @throws UnreadableData when the entry is damaged */
  readonly connectionType?: (address: Address) => string | null;
  /** @throws UnreadableData when the entry is damaged */
  readonly domain?: (address: Address) => string | null;
}

/** Port: address → network operator. */
export interface AsnDatabase {
  readonly info: DatabaseInfo;
  /** @throws UnreadableData when the entry is damaged */
  find(address: Address): NetworkOperator;
}

/** Port: address → what it is used for, such as hosting or Tor. */
export interface AnonymousDatabase {
  readonly info: DatabaseInfo;
  /** @throws UnreadableData when the entry is damaged */
  find(address: Address): AddressTraits;
}

/** What an operator says about a network of its own. */
export interface OverlayEntry extends DatabaseEntry {
  /** undefined when only a database can tell */
  readonly operator: NetworkOperator | undefined;
}

/** Port: address → what an operator says about it, which goes before any database and before reserved ranges. */
export interface Overlay {
  readonly info: {
    readonly networks: number;
    readonly modifiedAt: Date | null;
    /** changes whenever any answer may change */
    readonly fingerprint: string;
  };
  /** The entry of the smallest network that contains the address. */
  find(address: Address, language: Language): OverlayEntry | undefined;
}

/** A database with a damaged entry: our failure, never an unknown address. */
export class UnreadableData extends Error {
  override readonly name = 'UnreadableData';
}

/** The version of a database that is in use; undefined until one has been loaded. */
export interface Current<T> {
  readonly current: T | undefined;
}

/** All that lookups are answered from. */
export interface Databases {
  readonly locations: Current<LocationDatabase>;
  readonly operators?: Current<AsnDatabase>;
  /** the first of these that knows an address says where it is if `locations` does not; they tell more of networks, too */
  readonly further?: readonly Current<FurtherDatabase>[];
  readonly anonymous?: Current<AnonymousDatabase> | undefined;
  /** searched first */
  readonly overlay?: Current<Overlay> | undefined;
}
