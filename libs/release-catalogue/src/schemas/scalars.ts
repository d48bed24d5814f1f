import { Type } from '@sinclair/typebox';

/** Of an object in a data file: a member that is not known is a slip of the pen. */
export const exact = { additionalProperties: false };

/** `8.4`: major and minor, no leading zeros. */
export const BranchName = Type.String({ pattern: '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)$', examples: ['8.4'] });

/** `8.4.25`: the base version of a release or a pre-release. */
export const Version = Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+$', examples: ['8.4.25'] });

/** A version on record; the one that is not numeric is php.net's own entry for branch 3.0. */
export const RecordedVersion = Type.String({
  pattern: '^(\\d+\\.\\d+\\.\\d+|3\\.0\\.x \\(latest\\))$',
  examples: ['8.4.24'],
});

/** A calendar date; the rules check that the day exists. */
export const CalendarDate = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', examples: ['2026-07-30'] });

/** A second in UTC, `2026-07-30T00:00:00Z`. */
export const Instant = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$',
  examples: ['2026-07-30T00:00:00Z'],
});

/** A date as php.net writes it for people: `30 Jul 2026`, `13 August 2026`, `5 Dec 2024`. */
export const DateText = Type.String({ pattern: '^\\d{1,2} [A-Z][a-z]+ \\d{4}$', examples: ['30 Jul 2026'] });

/** The id of a vulnerability in the CVE list. */
export const CveId = Type.String({ pattern: '^CVE-\\d{4}-\\d{4,19}$', examples: ['CVE-2026-17544'] });

/** Of an address: what browsers neither drop nor take for another character, as they take `\\` for `/`. */
const CHARACTER = '[^\\s\\\\"<>^`\\u0000-\\u0020\\u007f-\\u009f]';
/** Before a path, a host, and no `user@`, which would look like one. */
const ORIGIN = 'https?://(?![^/?#]*@)(?![/?#:])';

/** An absolute IRI that names something: a URL, or a `tag:` or `urn:` URI. */
export const Uri = Type.String({
  pattern: `^(${ORIGIN}|tag:|urn:)${CHARACTER}+$`,
  examples: ['https://www.php.net/', 'tag:php.net,2026:news/1'],
});

/** The address of a web page or a file. Readers follow it, so nothing that a browser would run. */
export const WebAddress = Type.String({
  pattern: `^${ORIGIN}${CHARACTER}+$`,
  examples: ['https://www.php.net/'],
});

/** A SHA-256 digest. */
export const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
/** A web address, or a path on this site: what begins like `//` after decoding or resolving is another site to some clients. */
export const PagePath = Type.String({
  pattern: `^(${ORIGIN}${CHARACTER}+|/(?!\\.{0,2}/|%(2[eEfF]|5[cC]))${CHARACTER}*)$`,
  examples: ['/releases/8_4_23.php'],
});
