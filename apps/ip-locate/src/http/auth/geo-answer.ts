import type { Address } from '@workspace/ip-addresses';
import { type Clock, type ClientAddressOf, ProblemError } from '@workspace/service-kit';
import type { LookupResult } from '../../application/locate.ts';
import { type Caller, type Decision, decideAll, type Rules } from '../../domain/access/rules.ts';
import type { Precision } from '../../domain/precision.ts';
import { hostAddress, reservedRange } from '../../domain/special-ranges.ts';
import { type FieldName, fieldOf, isField, recordOf } from '../lookup/fields.ts';
import type { Lookup } from '../lookup/lookup.ts';
import { createGeoHeaders, decisionHeaders, GEO_ERROR } from './geo-headers.ts';

/** What a proxy wants to know of a request. */
export interface GeoQuestion {
  /** what tells the caller's address */
  readonly raw: Parameters<ClientAddressOf>[0];
  readonly fields: readonly FieldName[];
  readonly lang: string | undefined;
  readonly rules: readonly Rules[];
}

export interface GeoAnswer {
  readonly headers: Record<string, string>;
  /** undefined without rules: the caller is admitted */
  readonly decision: Decision | undefined;
  /** the code of the problem because of which there is no location */
  readonly error: string | undefined;
}

export interface GeoAnswerDeps {
  lookup: Lookup;
  clock: Clock;
  /** of the locations; proxies have no API keys */
  precision: Precision;
  /** which have a header in every answer, whatever it asks for */
  headerFields: readonly FieldName[];
}

/** Answers proxies: the caller's location in headers, and whether rules admit it. Without rules no caller is denied. */
export const createGeoAnswer = ({ lookup, clock, precision, headerFields }: GeoAnswerDeps) => {
  const geoHeaders = createGeoHeaders(headerFields);
  return (question: GeoQuestion): GeoAnswer => {
    const { raw, fields, lang, rules } = question;
    try {
      const result = lookup.caller({ raw }, lang, clock(), precision);
      const decision = rules.length === 0 ? undefined : decideAll(rules, callerOf(result));
      const headers = { ...geoHeaders(recordOf(result, fields)), ...decisionHeaders(decision) };
      return { headers, decision, error: undefined };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { code } = error.kind;
      const decision =
        rules.length === 0
          ? undefined
          : decideAll(rules, withoutLocation(lookup.knownCallerAddress({ raw })));
      const headers = { ...geoHeaders({}), [GEO_ERROR]: code, ...decisionHeaders(decision) };
      return { headers, decision, error: code };
    }
  };
};

const callerOf = (result: LookupResult): Caller => ({
  ...addressOf(result.address),
  country: result.location.country,
  continent: result.location.continentCode,
  get asn() {
    return result.operator.asn;
  },
  flag: (name) => {
    const value = isField(name) ? fieldOf(result, name) : null;
    return typeof value === 'boolean' ? value : null;
  },
});

/** Networks match a caller whose location is unknown, too. */
const withoutLocation = (address: Address | undefined): Caller => ({
  ...addressOf(address),
  country: null,
  continent: null,
  asn: null,
  flag: () => null,
});

/** Whoever comes through NAT64 is not in another network for that. */
const addressOf = (written: Address | undefined): Pick<Caller, 'address' | 'isPrivate'> => {
  const address = written && hostAddress(written);
  return { address, isPrivate: address !== undefined && reservedRange(address) !== undefined };
};
