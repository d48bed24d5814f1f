import { defineProblems } from '@workspace/service-kit/problems';

/** Every problem of this service besides the common ones. The first two titles are ipapi.co's `reason`, and so contract. */
export const problems = defineProblems({
  'invalid-address': { status: 400, title: 'Invalid IP Address' },
  'reserved-address': { status: 400, title: 'Reserved IP Address' },
  'unknown-caller': { status: 400, title: "The caller's address could not be determined" },
  'unknown-field': { status: 400, title: 'Unknown field' },
  'invalid-callback': { status: 400, title: 'Invalid callback' },
  'rate-limited': { status: 429, title: 'RateLimited' },
  'lookup-failed': { status: 500, title: 'Lookup failed' },
  'no-database': { status: 503, title: 'No database loaded' },
});
