export { openRateLimitStore } from './redis-buckets.ts';
