export * from './health.ts';
export * from './problem.ts';
export * from './scalars.ts';
