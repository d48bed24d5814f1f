/** What the data says about a block of addresses; null is "the data does not say". */
export interface Place {
  readonly city: string | null;
  /** name of the first subdivision */
  readonly region: string | null;
  /** its ISO 3166-2 code without the country, `CA` */
  readonly regionCode: string | null;
  /** ISO 3166-1 alpha-2 */
  readonly country: string | null;
  readonly countryName: string | null;
  readonly continentCode: string | null;
  readonly inEu: boolean | null;
  readonly postal: string | null;
  /** degrees, WGS 84; both or neither */
  readonly latitude: number | null;
  readonly longitude: number | null;
  /** IANA zone name */
  readonly timezone: string | null;
  /** kilometres */
  readonly accuracyRadius: number | null;
}

/** A public address the data knows nothing about. */
export const UNKNOWN_PLACE: Place = Object.freeze({
  city: null,
  region: null,
  regionCode: null,
  country: null,
  countryName: null,
  continentCode: null,
  inEu: null,
  postal: null,
  latitude: null,
  longitude: null,
  timezone: null,
  accuracyRadius: null,
});
