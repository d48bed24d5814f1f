import TestSequencer from '@jest/test-sequencer';
import { basename } from 'node:path';

/**
 * Starts the files of `globals.slowest` first, in that order: with several workers, a slow file that starts last would
 * run alone. Jest itself knows how long a file took only where it ran before, which a clean clone has not.
 */
export default class SlowestFirst extends TestSequencer {
  /** @param {import('@jest/test-result').Test[]} tests */
  sort(tests) {
    const rank = ({ context, path }) => {
      const { slowest } = context.config.globals;
      const index = slowest.indexOf(basename(path, '.test.ts'));
      return index < 0 ? slowest.length : index;
    };
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
}
