import type { IncomingHttpHeaders } from 'node:http';

/** The validators of a representation. */
export interface Validators {
  readonly etag: string;
  /** null: not known */
  readonly lastModified: Date | null;
}

/**
 * Whether a conditional GET or HEAD is answered with 304 (RFC 9110 §13.2.2): `If-None-Match` decides alone when it is
 * there, compared weakly; else `If-Modified-Since`, which is ignored when it is no date.
 */
export const isNotModified = (
  headers: Pick<IncomingHttpHeaders, 'if-none-match' | 'if-modified-since'>,
  { etag, lastModified }: Validators,
): boolean => {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  }
  if (lastModified === null) return false;
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return since >= Math.floor(lastModified.getTime() / 1000) * 1000;
};
