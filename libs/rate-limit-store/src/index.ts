export { openRateLimitStore, type RunScript } from './redis-buckets.ts';
