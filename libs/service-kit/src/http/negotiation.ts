/**
 * The media type that an Accept header prefers (RFC 9110 §12.5.1): the highest quality wins, then the order of the
 * offers. When nothing is acceptable the first offer wins: a wrong format helps a client more than a 406.
 * @param offers media types, the default first
 */
export const negotiate = <T extends string>(accept: string | undefined, offers: readonly [T, ...T[]]): T => {
  if (accept === undefined) return offers[0];
  const ranges = accept.slice(0, MAX_LENGTH).split(',').map(parseRange);
  const rated = offers.map((offer) => ({ offer, quality: qualityOf(offer, ranges) }));
  const best = Math.max(...rated.map(({ quality }) => quality));
  return rated.find(({ quality }) => quality === best)?.offer ?? offers[0];
};

/** Characters of the header that are read; no sensible one is longer. */
const MAX_LENGTH = 1_000;

interface Range {
  readonly type: string;
  readonly quality: number;
}

const parseRange = (text: string): Range => {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, quality: quality === undefined ? 1 : Number(quality) || 0 };
};

/** The quality of the most specific range that matches; 0 when none does. */
const qualityOf = (offer: string, ranges: readonly Range[]): number => {
  for (const range of [offer, `${offer.split('/', 1)[0]}/*`, '*/*']) {
    const match = ranges.find(({ type }) => type === range);
    if (match) return match.quality;
  }
  return 0;
};
