import { eventually } from './eventually.ts';

it('answers with what is found first, however long that takes', async () => {
  const answers = [undefined, false, null, 0, 1];
  expect(await eventually('number', () => answers.shift())).toBe(0);
});

it('looks again after an error', async () => {
  let looks = 0;
  const look = () => {
    looks += 1;
    if (looks < 3) throw new Error('not yet');
    return looks;
  };
  expect(await eventually('answer', look)).toBe(3);
});

it('shows the last error when nothing comes', async () => {
  let looks = 0;
  const look = () => {
    looks += 1;
    throw new Error(`look ${looks}`);
  };
  // eslint-disable-next-line no-restricted-syntax -- it never comes, however long this waits
  const failure = await eventually('answer', look, 100).catch((error: Error) => error);
  expect(failure).toMatchObject({ message: 'no answer within 100 ms', cause: new Error(`look ${looks}`) });
});
