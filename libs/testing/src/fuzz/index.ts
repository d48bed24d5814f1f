export { randomInputs } from './random-inputs.ts';
export { replayCorpus } from './replay.ts';
export { runFuzz } from './run.ts';
export { type FuzzTarget } from './target.ts';
