import type { Decision } from '../../domain/access/rules.ts';
import { FIELD_NAMES, type LocationRecord } from '../lookup/fields.ts';

/** The header of a field: `x-geo-country`. */
export const geoHeader = (field: string): string => `x-geo-${field.replaceAll('_', '-')}`;
/** The header that says why there is no location. */
export const GEO_ERROR = geoHeader('error');
/** Whether a header may be taken for one of these; some servers take `_` for `-`. */
export const isGeoHeader = (name: string): boolean => /^x[-_]geo[-_]/i.test(name);

/** The headers that say what rules decided, and which of them did. */
export const GEO_DECISION = geoHeader('decision');
export const GEO_REASON = geoHeader('reason');

/** A proxy that copies these headers overwrites all that a visitor may have sent under their names. */
const EMPTY = Object.fromEntries([...FIELD_NAMES.map(geoHeader), GEO_ERROR].map((name) => [name, '']));

/**
 * One header for every field there is, such as `x-geo-country`, empty where the record has no value. Header values are ASCII:
 * everything else, and `%`, is percent-encoded UTF-8, so that decodeURIComponent returns the original text.
 */
export const geoHeaders = (record: LocationRecord): Record<string, string> => {
  const headers = { ...EMPTY };
  for (const [name, value] of Object.entries(record)) {
    if (value !== null) headers[geoHeader(name)] = encode(String(value));
  }
  return headers;
};

/** What rules decided; nothing without rules. */
export const decisionHeaders = (decision: Decision | undefined): Record<string, string> =>
  decision ? { [GEO_DECISION]: decision.outcome, [GEO_REASON]: encode(decision.reason) } : {};

const encode = (text: string): string =>
  text.replace(/[^\x20-\x24\x26-\x7e]+/gu, (part) =>
    encodeURIComponent(part.replace(/[\ud800-\udfff]/gu, '\ufffd')),
  );
