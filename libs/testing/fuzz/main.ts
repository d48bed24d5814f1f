import { runFuzz } from '../src/fuzz/index.ts';

await runFuzz(import.meta.dirname);
