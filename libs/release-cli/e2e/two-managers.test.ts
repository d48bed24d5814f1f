import { playSteps } from '../test/two-managers.ts';

it('two managers publish and follow a site in two clones, and merge: the data stay valid and say what was published', async () => {
  await playSteps({ runs: 3, maxCommands: 20 });
});
