import Negotiator from 'negotiator';

/** The forms a body is kept in, best first. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * The form to send for an `Accept-Encoding` header (RFC 9110 §12.5.3): highest weight first, then ours.
 * A client that rejects all of them gets the plain body, as the RFC allows.
 */
export const chooseEncoding = (header: string): Encoding => {
  // Negotiator understands no `Q=`.
  const headers = { 'accept-encoding': header.toLowerCase().replace(X_GZIP, 'gzip') };
  const accepted: EncodingNegotiator = new Negotiator({ headers });
  const chosen = accepted.encoding(ENCODINGS, { preferred: ENCODINGS });
  return ENCODINGS.find((encoding) => encoding === chosen) ?? 'identity';
};

/** `preferred` decides between equal weights; @types/negotiator does not know it yet. */
interface EncodingNegotiator {
  encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined;
}

/** The old name of gzip, which RFC 9110 §8.4.1.3 asks servers to understand. */
const X_GZIP = /\bx-gzip\b/g;
