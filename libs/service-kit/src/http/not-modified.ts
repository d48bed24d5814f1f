import type { IncomingHttpHeaders } from 'node:http';

/** The validators of a representation. */
export interface Validators {
  /** with quotes, and `W/` when it is weak */
  readonly etag: string;
  /** null or left out: not known */
  readonly lastModified?: Date | null;
}

/**
 * Whether a conditional GET or HEAD is answered with 304 (RFC 9110 §13.2.2). If-None-Match decides alone when it is
 * present, by weak comparison; otherwise If-Modified-Since does, which is ignored when it is not a date.
 */
export const isNotModified = (
  headers: Pick<IncomingHttpHeaders, 'if-none-match' | 'if-modified-since'>,
  { etag, lastModified }: Validators,
): boolean => {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    const opaque = withoutWeakness(etag);
    return tags.trim() === '*' || tags.split(',').some((tag) => withoutWeakness(tag.trim()) === opaque);
  }
  const since = headers['if-modified-since'];
  if (since === undefined || !lastModified) return false;
  // HTTP dates have whole seconds.
  return Date.parse(since) >= Math.floor(lastModified.getTime() / 1000) * 1000;
};

const withoutWeakness = (tag: string): string => tag.replace(/^W\//, '');
