import { captureLogger } from '@workspace/testing';
import { closeOptions } from './extension-points.ts';

it('closes options in the reverse order of the list, whatever one of them does', async () => {
  const { logger, lines } = captureLogger();
  const called: string[] = [];
  const opened = ['throws', 'rejects', 'closes'].map((name) => ({
    close: () => {
      called.push(name);
      if (name === 'throws') throw new Error(name);
      return name === 'rejects' ? Promise.reject(new Error(name)) : Promise.resolve();
    },
  }));
  await closeOptions([...opened, {}], logger);
  expect(called).toEqual(['closes', 'rejects', 'throws']);
  expect(lines).toEqual(
    ['rejects', 'throws'].map((message) =>
      expect.objectContaining({
        level: 'warn',
        msg: 'option did not close',
        err: expect.objectContaining({ message }) as unknown,
      }),
    ),
  );
});
