/** What a database says about a block of addresses; null means that the data does not say. */
export interface Location {
  readonly city: string | null;
  /** name of the first subdivision */
  readonly region: string | null;
  /** ISO 3166-2 code of the first subdivision, without the country: `CA` */
  readonly regionCode: string | null;
  /** ISO 3166-1 alpha-2 */
  readonly country: string | null;
  readonly countryName: string | null;
  readonly continentCode: string | null;
  readonly inEu: boolean | null;
  /** whether the country is only the one in which the network is registered */
  readonly isRegistered: boolean;
  readonly postal: string | null;
  /** degrees, WGS 84; latitude and longitude are both known or both null */
  readonly latitude: number | null;
  readonly longitude: number | null;
  /** IANA time zone name */
  readonly timezone: string | null;
  /** kilometres */
  readonly accuracyRadius: number | null;
}

/** The location of a public address that is not in the database. */
export const UNKNOWN_LOCATION: Location = Object.freeze({
  city: null,
  region: null,
  regionCode: null,
  country: null,
  countryName: null,
  continentCode: null,
  inEu: null,
  isRegistered: false,
  postal: null,
  latitude: null,
  longitude: null,
  timezone: null,
  accuracyRadius: null,
});

/** Who runs the network an address belongs to. */
export interface NetworkOperator {
  /** autonomous system number */
  readonly asn: number | null;
  readonly org: string | null;
}

export const UNKNOWN_OPERATOR: NetworkOperator = Object.freeze({ asn: null, org: null });
