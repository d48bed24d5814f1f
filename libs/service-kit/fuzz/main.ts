import { runFuzz } from '@workspace/testing/fuzz';

await runFuzz(import.meta.dirname);
