import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type NamedFile, UnusableFiles } from '@workspace/service-process';
import type { Overlay, OverlayEntry } from '../../application/location-database.ts';
import { NetworkMap } from '../../domain/network-map.ts';
import { type OverlayRow, parseOverlayHeader, parseOverlayRow } from './overlay-row.ts';
import { type LocationRules, type EntryFacts, EntryLocation } from '../../domain/entry-location.ts';

/** Bytes; a file of so many rows is smaller. */
export const MAX_OVERLAY_BYTES = 33_554_432;
/** About a kilobyte of memory each. */
const MAX_ROWS = 200_000;
/** More than all its columns may have. */
const MAX_ROW_BYTES = 16_384;
/** Rows between two turns of the event loop: requests served meanwhile wait a few milliseconds at most. */
const ROWS_PER_TURN = 500;

/**
 * Opens a CSV file of networks of one's own: UTF-8, a row of column names, a row for each network. Empty lines and those that
 * begin with `#` count for nothing.
 * @throws UnusableFiles naming the first line that is wrong; a file counts as a whole or not at all
 */
export const openOverlay = async (
  files: readonly NamedFile[],
  rules: LocationRules = {},
): Promise<Overlay> => {
  const [file] = files;
  if (!file || files.length > 1) throw new UnusableFiles('an overlay is one file');
  if (file.bytes.length > MAX_OVERLAY_BYTES) {
    throw new UnusableFiles(`the file is larger than ${MAX_OVERLAY_BYTES / 2 ** 20} MiB`);
  }
  const rows = new NetworkMap<OverlayRow>();
  let columns: readonly string[] | undefined;
  let count = 0;
  const hash = createHash('sha256');
  let at = -1;
  for (const line of linesOf(file.bytes)) {
    at += 1;
    if (at % ROWS_PER_TURN === 0) await nextTurn();
    hash.update(line);
    if (line.length > MAX_ROW_BYTES)
      throw new UnusableFiles(`line ${at + 1}: a row has ${MAX_ROW_BYTES} bytes at most`);
    const row = textOf(line).trim();
    if (row === '' || row.startsWith('#')) continue;
    const violation = (what: string) => new UnusableFiles(`line ${at + 1}: ${what}`);
    if (!columns) {
      const header = parseOverlayHeader(row);
      if ('violation' in header) throw violation(header.violation);
      columns = header.columns;
      continue;
    }
    const parsed = parseOverlayRow(row, columns);
    if ('violation' in parsed) throw violation(parsed.violation);
    if (++count > MAX_ROWS)
      throw violation(`an overlay has ${MAX_ROWS.toLocaleString('en')} networks at most`);
    if (!rows.add(parsed.network, parsed)) throw violation('the network has a row already');
  }
  if (!columns) throw new UnusableFiles('the file is empty');
  const fingerprint = hash.digest('base64url').slice(0, 12);
  return {
    info: { networks: count, modifiedAt: file.modifiedAt ?? null, fingerprint },
    find: (address, language) => {
      const found = rows.find(address);
      return (
        found &&
        entryOf(found.value, found.prefixLength, new EntryLocation(factsOf(found.value), language, rules))
      );
    },
  };
};

/** Each line with its end. */
function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf('\n', start);
    const end = found < 0 ? bytes.length : found + 1;
    yield bytes.subarray(start, end);
    start = end;
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

const textOf = (bytes: Buffer): string => {
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw new UnusableFiles('the file is not UTF-8');
  }
};

const factsOf = ({ texts, latitude, longitude }: OverlayRow): EntryFacts => {
  const { city, region, region_code: regionCode, country, postal, timezone } = texts;
  return { city, region, regionCode, country, postal, latitude, longitude, timezone };
};

const entryOf = (
  { texts: { org }, asn }: OverlayRow,
  prefixLength: number,
  location: EntryLocation,
): OverlayEntry => ({
  location,
  prefixLength,
  operator: asn === undefined && org === undefined ? undefined : { asn: asn ?? null, org: org ?? null },
});
