import type { LocationRecord } from '../domain/fields.ts';

/** On every answer: any page may read it, problems too, as nothing here is secret or needs a cookie. */
export const OPEN_HEADERS = { 'access-control-allow-origin': '*' } as const;

/** On answers a browser might take for something else. Nobody takes JSON for a page, and nearly all answers are JSON. */
export const PUBLIC_HEADERS = { ...OPEN_HEADERS, 'x-content-type-options': 'nosniff' } as const;

/**
 * A header per field, `x-geo-country`, `x-geo-time-zone` …; missing values have none. Header values are ASCII:
 * everything else, and `%`, is percent-encoded UTF-8, so that decodeURIComponent gives the text back.
 */
export function geoHeaders(record: LocationRecord): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(record)) {
    if (value !== null) headers[`x-geo-${name.replaceAll('_', '-')}`] = encode(String(value));
  }
  return headers;
}

const encode = (text: string): string =>
  text.replace(/[^\x20-\x24\x26-\x7e]+/gu, (part) =>
    encodeURIComponent(part.replace(/[\ud800-\udfff]/gu, '\ufffd')),
  );
