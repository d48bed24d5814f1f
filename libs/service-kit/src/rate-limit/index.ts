export * from './rate-limit-setting.ts';
export * from './rate-limiter.ts';
