export * from './completions.ts';
