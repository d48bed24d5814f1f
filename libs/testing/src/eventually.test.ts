import { eventually } from './eventually.ts';

it('answers with what is found first, however long that takes', async () => {
  const answers = [undefined, false, null, 0, 1];
  expect(await eventually('number', () => answers.shift())).toBe(0);
});

it('looks again after an error, and shows the last one when nothing comes', async () => {
  const looks: number[] = [];
  const look = () => {
    looks.push(looks.length);
    throw new Error(`look ${looks.length}`);
  };
  const failure = await eventually('answer', look, 100).catch((error: Error) => error);
  expect(failure).toMatchObject({
    message: 'no answer within 100 ms',
    cause: new Error(`look ${looks.length}`),
  });
  expect(looks.length).toBeGreaterThan(1);
});
