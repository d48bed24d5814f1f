/**
 * The offer an Accept header likes best (RFC 9110 §12.5.1): highest quality, the more exact range first, then the
 * order of the offers. Nothing acceptable is answered with the first offer: a wrong format helps more than a 406.
 * @param offers media types
 */
export function negotiate<T extends string>(accept: string | undefined, offers: readonly [T, ...T[]]): T {
  if (accept === undefined) return offers[0];
  const ranges = accept.slice(0, 1_000).split(',').map(parseRange);
  const rated = offers.map((offer) => ({ offer, quality: qualityOf(offer, ranges) }));
  const best = Math.max(...rated.map(({ quality }) => quality));
  return rated.find(({ quality }) => quality === best)?.offer ?? offers[0];
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, quality: quality === undefined ? 1 : Number(quality) || 0 };
}

function qualityOf(offer: string, ranges: readonly Range[]): number {
  const kinds = [offer, `${offer.split('/', 1)[0]}/*`, '*/*'];
  for (const kind of kinds) {
    const range = ranges.find(({ type }) => type === kind);
    if (range) return range.quality;
  }
  return 0;
}
