import { EventEmitter, once } from 'node:events';
import { Poller } from './poller.ts';

it('runs one task after the other, and once more for all who ask meanwhile', async () => {
  const runs: boolean[] = [];
  let atOnce = 0;
  const poller = new Poller(async (force) => {
    runs.push(force);
    expect((atOnce += 1)).toBe(1);
    await new Promise(setImmediate);
    atOnce -= 1;
  });
  const first = poller.run();
  await new Promise(setImmediate);
  await Promise.all([first, ...Array.from({ length: 50 }, (_, index) => poller.run(index === 7))]);
  expect(runs).toEqual([false, true]);
});

it('polls, and runs by force on SIGHUP, until it is stopped', async () => {
  const events = new EventEmitter();
  const poller = new Poller(async (force) => void events.emit(force ? 'forced' : 'polled'));
  const polled = once(events, 'polled');
  poller.start(1);
  await polled;
  const forced = once(events, 'forced');
  process.emit('SIGHUP');
  await forced;
  await poller.stop();
  expect(process.listeners('SIGHUP')).toEqual([]);
});

it('runs nothing after it is stopped', async () => {
  let runs = 0;
  const poller = new Poller(async () => void (runs += 1));
  poller.start(1);
  await poller.stop();
  const before = runs;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(runs).toBe(before);
});
