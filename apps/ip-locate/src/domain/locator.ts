import type { Address } from '@workspace/ip-addresses';
import type { Language } from './language.ts';
import type { Place } from './place.ts';

/** Who made the data; decides attribution, and whether time zones have to be derived. */
export type Provider = 'db-ip' | 'geolite' | 'geoip' | 'other';

/** What an open database says of itself. */
export interface DataInfo {
  /** the type each file claims, `GeoLite2-City` */
  readonly types: readonly string[];
  readonly provider: Provider;
  /** when it was built; the older one of two files; null when the file does not say or says nonsense */
  readonly builtAt: Date | null;
  /** changes whenever any answer may */
  readonly fingerprint: string;
}

export interface Located {
  /** UNKNOWN_PLACE when the data does not know the address */
  readonly place: Place;
  /** bits of the block the place was found for; null when unknown */
  readonly prefixLength: number | null;
}

/**
 * Address → location: one verified, open, never changing set of data. New data is a new Locator.
 * `locate` throws UnreadableData when the data breaks under a lookup; an unknown address is no error.
 */
export interface Locator {
  readonly info: DataInfo;
  locate(address: Address, language: Language): Located;
}

export interface Operator {
  /** autonomous system number */
  readonly asn: number | null;
  readonly org: string | null;
}

export const UNKNOWN_OPERATOR: Operator = Object.freeze({ asn: null, org: null });

/** Address → network operator, from an ASN database. */
export interface OperatorFinder {
  readonly info: DataInfo;
  operatorOf(address: Address): Operator;
}

/** The data broke under a lookup: a fault of ours, never an unknown address. */
export class UnreadableData extends Error {
  override readonly name = 'UnreadableData';
}
