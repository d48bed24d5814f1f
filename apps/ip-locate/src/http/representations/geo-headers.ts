import type { LocationRecord } from './fields.ts';

/** The header of a field: `x-geo-country`. */
export const geoHeader = (field: string): string => `x-geo-${field.replaceAll('_', '-')}`;

/**
 * One header per field, such as `x-geo-country`; none for missing values. Header values are ASCII: everything else, and
 * `%`, is percent-encoded UTF-8, so that decodeURIComponent returns the original text.
 */
export function geoHeaders(record: LocationRecord): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(record)) {
    if (value !== null) headers[geoHeader(name)] = encode(String(value));
  }
  return headers;
}

const encode = (text: string): string =>
  text.replace(/[^\x20-\x24\x26-\x7e]+/gu, (part) =>
    encodeURIComponent(part.replace(/[\ud800-\udfff]/gu, '\ufffd')),
  );
