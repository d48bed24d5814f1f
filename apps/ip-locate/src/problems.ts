import { defineProblems } from '@workspace/service-kit/problems';

/** Every problem of this service besides the common ones. The first two titles are ipapi.co's `reason`, and so contract. */
export const problems = defineProblems({
  'invalid-address': { status: 400, title: 'Invalid IP Address', advice: 'Send an IPv4 or IPv6 address' },
  'reserved-address': { status: 400, title: 'Reserved IP Address', advice: 'Ask for a public address' },
  'unknown-caller': {
    status: 400,
    title: "The caller's address could not be determined",
    advice: 'Put the address into the path',
  },
  'unknown-field': { status: 400, title: 'Unknown field', advice: 'Use a member of `/json/`' },
  'invalid-callback': {
    status: 400,
    title: 'Invalid callback',
    advice: 'Send the name of a JavaScript function',
  },
  'rate-limited': { status: 429, title: 'RateLimited', advice: 'Wait `Retry-After` seconds' },
  'lookup-failed': { status: 500, title: 'Lookup failed', advice: 'Report it; the database may be damaged' },
  'no-database': { status: 503, title: 'No database loaded', advice: 'Retry after `Retry-After`' },
});
