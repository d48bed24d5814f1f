import Negotiator from 'negotiator';

/**
 * The media type that an Accept header prefers (RFC 9110 §12.5.1). When nothing is acceptable the first offer wins: a
 * wrong format helps a client more than a 406. Parameters such as `charset` do not count.
 * @param offers media types without parameters, the default first
 */
export const negotiate = <T extends string>(accept: string | undefined, offers: readonly [T, ...T[]]): T => {
  if (accept === undefined) return offers[0];
  // A range of which only the beginning is read could lose its weight.
  const end = accept.length > MAX_LENGTH ? Math.max(0, accept.lastIndexOf(',', MAX_LENGTH)) : accept.length;
  const ranges = accept.slice(0, end).replace(PARAMETER, '');
  const preferred = new Negotiator({ headers: { accept: ranges } }).mediaType([...offers]);
  return offers.find((offer) => offer === preferred) ?? offers[0];
};

/** Characters of the header that are read; no sensible one is longer. */
const MAX_LENGTH = 1_000;
/** A parameter other than the weight (RFC 9110 §5.6.6); to negotiator `text/csv;charset=utf-8` is not `text/csv`. */
const PARAMETER = /;[ \t]*(?![ \t]|q=)(?:[^",;]|"(?:[^"\\]|\\.)*")*/gi;
