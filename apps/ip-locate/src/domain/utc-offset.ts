const formats = new Map<string, Intl.DateTimeFormat | null>();

/** Offset of a zone at an instant as `+HHMM`; null for zones this Node does not know. */
export function utcOffset(timezone: string | null, now: Date): string | null {
  if (timezone === null) return null;
  const format = formatOf(timezone);
  const name = format?.formatToParts(now).find(({ type }) => type === 'timeZoneName')?.value;
  // `GMT+05:30`, and plain `GMT` for zero
  if (name === undefined) return null;
  return name === 'GMT' ? '+0000' : name.slice(3, 9).replace(':', '');
}

/** Formats are dear to make (30 µs) and there are some four hundred zones. */
function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = makeFormat(timeZone);
    // Zones come out of a file: a damaged one may not fill the memory.
    if (formats.size < 2_000) formats.set(timeZone, format);
  }
  return format;
}

function makeFormat(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  } catch (error) {
    // A zone newer than Node's tables, or none at all.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
