import { apiKeys } from '../support/frames.ts';
import { type FaultScenario, startUnderLoad, pause } from './test-bed.ts';

/** F3: connections break before a write, after it, inside its answer, and answers stall. */
export const connectionsCut: FaultScenario = {
  id: 'F3',
  fault: 'Produce cut before 2 %, after 2 %, inside 3 %, stalled 0.5 %; others cut inside 1 %',
  run: async (bed) => {
    const durationMs = bed.long ? 60_000 : 10_000;
    const { load, answers, end } = await startUnderLoad(bed, 'cut', { via: true, keyedEvery: 4 });
    const before = { ...bed.proxy.struck };
    const { produce: apiKey, metadata, apiVersions, initProducerId } = apiKeys;
    bed.proxy.rules = [
      { kind: 'cut-before', apiKey, probability: 0.02 },
      { kind: 'cut-after', apiKey, probability: 0.02 },
      { kind: 'cut-inside', apiKey, probability: 0.03 },
      { kind: 'stall', apiKey, probability: 0.005, hold: { ms: 1_500 } },
      ...[metadata, apiVersions, initProducerId].map((other) => ({
        kind: 'cut-inside' as const,
        apiKey: other,
        probability: 0.01,
      })),
    ];
    const struck = () =>
      Object.entries(bed.proxy.struck).map(
        ([kind, count]) => [kind, count - before[kind as keyof typeof before]] as const,
      );
    await pause(durationMs);
    // A slow machine writes few frames: continue until each fault has hit some.
    while (struck().some(([, count]) => count === 0)) await load.accepted();
    bed.proxy.rules = [];
    await load.accepted();
    const { audit, found } = await end();
    return {
      figures: {
        ...Object.fromEntries(struck()),
        ...audit,
        'not-published': answers.counts['not-published'],
      },
      violations: found,
    };
  },
};
