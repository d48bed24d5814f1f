import type { Decision } from '../../domain/access/rules.ts';
import { BY_NAME_ONLY, type FieldName, type FieldValues } from '../../http/lookup/fields.ts';

/** The header of a field: `x-geo-country`. */
export const geoHeader = (field: string): string => `x-geo-${field.replaceAll('_', '-')}`;
/** The header that says why there is no location. */
export const GEO_ERROR = geoHeader('error');

/** The headers that say what rules decided, and which of them did. */
export const GEO_DECISION = geoHeader('decision');
export const GEO_REASON = geoHeader('reason');

/**
 * One header for each of these fields, such as `x-geo-country`, and for those that are asked for, empty where it has no value: a proxy that
 * copies them overwrites all that a visitor may have sent under their names. Header values are ASCII: everything else, and `%`, is
 * percent-encoded UTF-8, so that decodeURIComponent returns the original text.
 */
export const createGeoHeaders = (fields: readonly FieldName[]) => {
  const names = [...fields, ...BY_NAME_ONLY].map(geoHeader);
  const empty = Object.fromEntries([...names, GEO_ERROR].map((name) => [name, '']));
  return (values: FieldValues): Record<string, string> => {
    const headers = { ...empty };
    for (const [name, value] of Object.entries(values)) {
      headers[geoHeader(name)] = value === null ? '' : encode(String(value));
    }
    return headers;
  };
};

/** What rules decided; nothing without rules. */
export const decisionHeaders = (decision: Decision | undefined): Record<string, string> =>
  decision ? { [GEO_DECISION]: decision.outcome, [GEO_REASON]: encode(decision.reason) } : {};

const encode = (text: string): string =>
  text.replace(/[^\x20-\x24\x26-\x7e]+/gu, (part) =>
    encodeURIComponent(part.replace(/[\ud800-\udfff]/gu, '\ufffd')),
  );
