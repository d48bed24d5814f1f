export * from './completions.ts';
export { didYouMean, parseFailure } from './did-you-mean.ts';
export { helpText } from './help-text.ts';
