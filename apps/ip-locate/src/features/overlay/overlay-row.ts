import { type Network, parseNetwork } from '@workspace/ip-addresses';
import { MAX_ASN } from '../../domain/access/term.ts';
import { countryOf } from '../../domain/countries.ts';
import { cellsOf } from '../../domain/csv-row.ts';
import { isFirstAddress } from '../../domain/network-map.ts';
import { isTimeZone } from '../../domain/utc-offset.ts';

/** Columns of an overlay, besides `network`. */
const OVERLAY_COLUMNS = [
  'city',
  'region',
  'region_code',
  'country',
  'postal',
  'latitude',
  'longitude',
  'timezone',
  'asn',
  'org',
] as const;
type Column = (typeof OVERLAY_COLUMNS)[number];

/** What an operator says about a network of its own. */
export interface OverlayRow {
  readonly network: Network;
  readonly texts: Readonly<Partial<Record<Column, string>>>;
  readonly latitude: number | undefined;
  readonly longitude: number | undefined;
  readonly asn: number | undefined;
}

type Violation = { readonly violation: string };

/** Longer texts are a mistake, such as a quote that does not end. */
const MAX_TEXT = 200;
/** A row of RFC 4180 without line breaks in its cells. */
const ROW = /^(?:"(?:[^"]|"")*"|[^",]*)(?:,(?:"(?:[^"]|"")*"|[^",]*))*$/;

const cells = (line: string): string[] | undefined =>
  ROW.test(line) ? cellsOf(line).map((cell) => cell.trim()) : undefined;

/** Reads the header of an overlay: `network`, and columns in any order. */
export const parseOverlayHeader = (line: string): { columns: readonly string[] } | Violation => {
  const columns = cells(line) ?? [];
  const known: readonly string[] = ['network', ...OVERLAY_COLUMNS];
  const unknown = columns.find((name) => !known.includes(name));
  if (unknown !== undefined || !columns.includes('network')) {
    return {
      violation: `the first row must name the column network and some of ${OVERLAY_COLUMNS.join(', ')}`,
    };
  }
  if (new Set(columns).size < columns.length) return { violation: 'a column is named twice' };
  return { columns };
};

/** Reads a row; an empty cell says nothing. */
export const parseOverlayRow = (line: string, columns: readonly string[]): OverlayRow | Violation => {
  const values = cells(line);
  if (values?.length !== columns.length) return { violation: `a row has ${columns.length} cells` };
  const texts: Record<string, string> = {};
  for (const [at, value] of values.entries()) {
    if (value.length > MAX_TEXT) return { violation: `${columns[at]} is longer than ${MAX_TEXT} characters` };
    if (value !== '') texts[columns[at] as string] = value;
  }
  const { network: cidr = '', country, timezone, asn } = texts;
  const network = parseNetwork(cidr);
  if (!network) return { violation: `${JSON.stringify(cidr)} is not a network such as 10.1.0.0/16` };
  if (!isFirstAddress(network)) return { violation: `${cidr} has bits beyond its prefix length` };
  if (country !== undefined && !countryOf(country)) {
    return { violation: `${JSON.stringify(country)} is not a country code such as DE` };
  }
  if (timezone !== undefined && !isTimeZone(timezone)) {
    return { violation: `${JSON.stringify(timezone)} is not a time zone such as Europe/Berlin` };
  }
  const number = asn === undefined ? undefined : Number(/^(?:AS)?(\d{1,10})$/.exec(asn)?.[1]);
  if (number !== undefined && !(number <= MAX_ASN)) {
    return { violation: `${JSON.stringify(asn)} is not an autonomous system such as AS64512` };
  }
  const latitude = degrees(texts['latitude'], 90);
  const longitude = degrees(texts['longitude'], 180);
  if (
    Number.isNaN(latitude) ||
    Number.isNaN(longitude) ||
    (latitude === undefined) !== (longitude === undefined)
  ) {
    return { violation: 'latitude and longitude are both numbers of degrees, or both empty' };
  }
  return {
    network,
    texts,
    latitude,
    longitude,
    asn: number,
  };
};

/** NaN for what is not a number of degrees. */
const degrees = (text: string | undefined, limit: number): number | undefined => {
  if (text === undefined) return undefined;
  const value = /^-?\d{1,3}(?:\.\d{1,15})?$/.test(text) ? Number(text) : NaN;
  return Math.abs(value) <= limit ? value : NaN;
};
