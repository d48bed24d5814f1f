import { changedSources } from '../source-changes.ts';
import { Corpus, lineOf } from './corpus.ts';
import { type FuzzTarget, seedsOf } from './target.ts';

/** Tests that each target holds for its seeds and for the corpus, and that its defects can still be planted. */
export const replayCorpus = (targets: readonly FuzzTarget[], folder: string): void => {
  describe.each(targets.map((target) => [target.name, target] as const))('%s', (name, target) => {
    const corpus = new Corpus(folder, name).read();
    it('has a corpus, and defects that can be planted', () => {
      expect(corpus.length).toBeGreaterThan(0);
      expect(target.planted.length).toBeGreaterThan(0);
      for (const change of target.planted) expect(changedSources([change]).size).toBe(1);
    });
    it(`${target.property}: in ${corpus.length} kept inputs`, async () => {
      for (const input of [...seedsOf(target), ...corpus]) {
        try {
          await target.check(input);
        } catch (error) {
          throw new Error(`not for ${lineOf(input)}`, { cause: error });
        }
      }
    });
  });
};
