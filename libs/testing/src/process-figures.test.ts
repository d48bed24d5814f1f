import { cpuMilliseconds, peakMegabytes, residentMegabytes, statOf } from './process-figures.ts';

it('reads the figures of a process as the process itself does', () => {
  const resident = residentMegabytes(process.pid);
  expect(Math.abs(resident - process.memoryUsage.rss() / 1024 / 1024)).toBeLessThan(50);
  expect(peakMegabytes(process.pid)).toBeGreaterThanOrEqual(resident);
  const { user, system } = process.cpuUsage();
  // The kernel counts in ticks of 10 ms.
  expect(Math.abs(cpuMilliseconds(process.pid) - (user + system) / 1000)).toBeLessThan(100);
  expect(statOf(process.pid).parent).toBe(process.ppid);
});
