import { replayCorpus } from '@workspace/testing/fuzz';
import { targets } from './targets.ts';

replayCorpus(targets, __dirname);
