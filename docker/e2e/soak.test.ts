import { soak } from './support/soak.ts';

it('loses nothing and answers as designed for two minutes in which everything restarts', async () => {
  const lines: string[] = [];
  const breaches = await soak({ minutes: 2, eventEveryMs: 24_000, print: (line) => lines.push(line) });
  console.log(lines.join('\n'));
  expect(breaches).toEqual([]);
});
