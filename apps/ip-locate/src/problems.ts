import { defineProblems } from '@workspace/service-kit';

/** Every problem of this service beside those of the kit; `reason` of the first two is ipapi.co's and contract. */
export const problems = defineProblems({
  'invalid-address': { status: 400, title: 'Invalid IP Address' },
  'reserved-address': { status: 400, title: 'Reserved IP Address' },
  'unknown-caller': { status: 400, title: 'The address of the caller cannot be told' },
  'unknown-field': { status: 400, title: 'There is no such field' },
  'invalid-callback': { status: 400, title: 'The callback is no name of a function' },
  'batch-too-large': { status: 422, title: 'The batch has too many addresses' },
  'rate-limited': { status: 429, title: 'RateLimited' },
  'lookup-failed': { status: 500, title: 'The data broke under the lookup' },
  'no-database': { status: 503, title: 'No database is open' },
});
