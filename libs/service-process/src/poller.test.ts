import { Poller } from './poller.ts';

afterEach(() => jest.useRealTimers());

it('runs one task after the other, and once more for all who ask meanwhile', async () => {
  const runs: boolean[] = [];
  let running = 0;
  const poller = new Poller(async (force) => {
    runs.push(force);
    expect((running += 1)).toBe(1);
    await new Promise(setImmediate);
    running -= 1;
  });
  const first = poller.run();
  await new Promise(setImmediate);
  await Promise.all([first, ...Array.from({ length: 50 }, (_, index) => poller.run(index === 7))]);
  expect(runs).toEqual([false, true]);
});

it('polls, and runs by force on SIGHUP, until it is stopped', async () => {
  jest.useFakeTimers();
  const runs: boolean[] = [];
  const poller = new Poller(async (force) => void runs.push(force));
  poller.start(1_000);
  await jest.advanceTimersByTimeAsync(2_000);
  expect(runs).toEqual([false, false]);
  process.emit('SIGHUP');
  await poller.stop();
  expect(runs).toEqual([false, false, true]);
  await jest.advanceTimersByTimeAsync(2_000);
  expect(runs).toHaveLength(3);
  expect(process.listeners('SIGHUP')).toEqual([]);
});

it('waits, when it is stopped, for the run that has begun', async () => {
  let end = (): void => undefined;
  const poller = new Poller(() => new Promise((resolve) => (end = resolve)));
  void poller.run();
  let isStopped = false;
  const stopped = poller.stop().then(() => (isStopped = true));
  await new Promise(setImmediate);
  expect(isStopped).toBe(false);
  end();
  await stopped;
});
