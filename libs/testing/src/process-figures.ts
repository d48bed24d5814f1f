import { readFileSync } from 'node:fs';

/** Ticks of /proc/<pid>/stat are 1/100 s on every Linux Node runs on. */
const MILLISECONDS_PER_TICK = 10;

/** CPU time of a process so far, user and system, all threads, in milliseconds. */
export const cpuMilliseconds = (pid: number | undefined): number => statOf(pid).cpuMilliseconds;

/** What /proc/<pid>/stat says: the name (field 2, which may hold anything but `)`), the parent (4), the CPU time (14, 15). */
export const statOf = (
  pid: number | undefined,
): { name: string; parent: number; cpuMilliseconds: number } => {
  const [, name = '', rest = ''] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const fields = rest.split(' ').map(Number);
  const ticks = (fields[11] ?? NaN) + (fields[12] ?? NaN);
  return { name, parent: fields[1] ?? NaN, cpuMilliseconds: ticks * MILLISECONDS_PER_TICK };
};

/** CPU time of the main thread of a process so far, in milliseconds. */
export const mainThreadMilliseconds = (pid: number | undefined): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

/** Memory that a process has resident now, the pages of Node itself included. */
export const residentMegabytes = (pid: number | undefined): number => statusOf(pid, 'VmRSS');

/** The most memory that a process ever had resident. */
export const peakMegabytes = (pid: number | undefined): number => statusOf(pid, 'VmHWM');

const statusOf = (pid: number | undefined, name: string): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  return Number(kilobytes) / 1024;
};
