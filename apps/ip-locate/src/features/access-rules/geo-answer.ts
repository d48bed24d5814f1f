import type { Address } from '@workspace/ip-addresses';
import type { ClientAddressOf } from '@workspace/service-kit/client-address';
import { ProblemError } from '@workspace/service-kit/problems';
import { type Caller, type Decision, decideAll, type Rules } from '../../domain/access/rules.ts';
import { type Location, UNKNOWN_LOCATION } from '../../domain/location.ts';
import { hostAddress, ownRange } from '../../domain/special-ranges.ts';
import type { Lookups } from '../../extension-points.ts';
import { problems } from '../../problems.ts';
import {
  type FieldName,
  fieldOf,
  type FieldValue,
  isTrait,
  type FieldValues,
} from '../../http/lookup/fields.ts';
import { problemOf } from '../../http/lookup/lookup.ts';
import { createGeoHeaders, decisionHeaders, GEO_ERROR } from './geo-headers.ts';

/** What a proxy wants to know of a request. */
interface GeoQuestion {
  /** what tells the caller's address */
  readonly raw: Parameters<ClientAddressOf>[0];
  readonly fields: readonly FieldName[];
  readonly lang: string | undefined;
  readonly rules: readonly Rules[];
}

interface GeoAnswer {
  readonly headers: Record<string, string>;
  /** undefined without rules: the caller is admitted */
  readonly decision: Decision | undefined;
  /** the code of the problem because of which there is no location */
  readonly error: string | undefined;
}

interface CallerLocation {
  readonly values: FieldValues;
  /** undefined when the data is missing */
  readonly location: Location | undefined;
  readonly error: string | undefined;
}

/** Answers proxies: the caller's location in headers, and whether rules admit it. Without rules no caller is denied. */
export const createGeoAnswer = ({ lookup, clock, precision, allFields, networkFacts }: Lookups) => {
  // In every answer, whatever it asks for.
  const geoHeaders = createGeoHeaders(allFields);
  /** The fields of the caller, as far as they can be had: each has data of its own. */
  const locationOf = ({ raw, fields, lang }: GeoQuestion): CallerLocation => {
    try {
      // Proxies have no API keys.
      const result = lookup.caller({ raw }, lang, clock(), precision);
      const values: Partial<Record<FieldName, FieldValue>> = {};
      let error: string | undefined;
      for (const name of fields) {
        try {
          values[name] = fieldOf(result, name);
        } catch (cause) {
          error = codeOf(problemOf(cause));
        }
      }
      const { location, source } = result;
      const isKnown =
        location.country !== null || source === 'overlay' || networkFacts(result.address).isWhole;
      return { values, location: isKnown ? location : undefined, error };
    } catch (cause) {
      const error = codeOf(cause);
      const location = error === problems['reserved-address'].code ? UNKNOWN_LOCATION : undefined;
      return { values: {}, location, error };
    }
  };

  return (question: GeoQuestion): GeoAnswer => {
    const { raw, rules } = question;
    const { values, location, error } = locationOf(question);
    const decision =
      rules.length === 0
        ? undefined
        : decideAll(rules, callerOf(lookup.knownCallerAddress({ raw }), location, networkFacts));
    const headers = {
      ...geoHeaders(values),
      ...(error !== undefined && { [GEO_ERROR]: error }),
      ...decisionHeaders(decision),
    };
    return { headers, decision, error };
  };
};

const codeOf = (error: unknown): string => {
  if (error instanceof ProblemError) return error.type.code;
  throw error;
};

const callerOf = (
  address: Address | undefined,
  location: Location | undefined,
  networkFacts: Lookups['networkFacts'],
): Caller => {
  const host = address && hostAddress(address);
  const facts = address && networkFacts(address);
  return {
    addresses: address && host && (host === address ? [address] : [address, host]),
    ownRange: address && ownRange(address),
    country: location?.country,
    continent: location?.continentCode,
    get asn() {
      return facts?.asn;
    },
    flag: (name) => (isTrait(name) ? facts?.traits?.[name] : location?.inEu),
  };
};
