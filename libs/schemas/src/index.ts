export * from './health.ts';
export * from './json-pointer.ts';
export * from './log-record.ts';
export * from './log-status.ts';
export * from './outcome.ts';
export * from './problem.ts';
export * from './scalars.ts';
export * from './secret.ts';
