const QUOTED = '"((?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\]){1,255})"';
const BARE = '[\\x21\\x23-\\x2b\\x2d-\\x7e]{1,255}';
/** What an `Idempotency-Key` header may be, as a regular expression. */
export const IDEMPOTENCY_KEY_PATTERN = `^(?:${QUOTED}|${BARE})$`;
const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/**
 * The key inside an `Idempotency-Key` header: a structured-field string (draft-ietf-httpapi-idempotency-key-header-07),
 * or the same without quotes, as most clients send it. Undefined when it is neither, empty, or longer than 255.
 */
export const idempotencyKey = (header: string): string | undefined => {
  const match = KEY.exec(header);
  return match ? (match[1]?.replace(/\\(["\\])/g, '$1') ?? header) : undefined;
};
