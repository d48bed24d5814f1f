/** The forms a body is kept in, best first. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * The form to send for an `Accept-Encoding` header (RFC 9110 §12.5.3): highest weight first, then ours.
 * A client that rejects all of them gets the plain body, as the RFC allows.
 */
export const chooseEncoding = (header: string): Encoding => {
  const weights = weightsOf(header);
  const weightOf = (encoding: Encoding): number =>
    weights.get(encoding) ?? weights.get('*') ?? (encoding === 'identity' ? 0.0005 : 0);
  return ENCODINGS.reduce(
    (best: Encoding, encoding) => (weightOf(encoding) > weightOf(best) ? encoding : best),
    weightOf('br') > 0 ? 'br' : 'identity',
  );
};

const weightsOf = (header: string): Map<string, number> =>
  new Map(
    header.split(',').map((item) => {
      const [name = '', ...parameters] = item
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/);
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return [name === 'x-gzip' ? 'gzip' : name, weight === undefined ? 1 : Number(weight) || 0];
    }),
  );
