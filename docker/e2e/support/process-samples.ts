import { readdirSync, readFileSync } from 'node:fs';
import { residentMegabytes } from '@workspace/testing';
import type { Stack } from './stack.ts';

/** The figures of one process at one time. */
export interface Sample {
  /** since the samples began */
  readonly seconds: number;
  readonly megabytes: number;
  readonly descriptors: number;
}

/** How far a figure has grown, as a share of what it was: 0.1 for a tenth more. */
export interface Drift {
  readonly megabytes: number;
  readonly descriptors: number;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

/**
 * From the median of the first window that begins after `fromSeconds` to the median of the last window.
 * @returns undefined when the two windows would overlap
 */
export const driftOf = (
  samples: readonly Sample[],
  { fromSeconds, windowSeconds }: { fromSeconds: number; windowSeconds: number },
): Drift | undefined => {
  const end = samples.at(-1)?.seconds ?? 0;
  if (end - fromSeconds < 2 * windowSeconds) return undefined;
  const early = samples.filter(
    ({ seconds }) => seconds >= fromSeconds && seconds < fromSeconds + windowSeconds,
  );
  const late = samples.filter(({ seconds }) => seconds > end - windowSeconds);
  const growth = (figure: 'megabytes' | 'descriptors'): number =>
    median(late.map((sample) => sample[figure])) / median(early.map((sample) => sample[figure])) - 1;
  return { megabytes: growth('megabytes'), descriptors: growth('descriptors') };
};

/** The process of a service in a container: the only child of the container's own init. */
const childOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0]);

/** Reads the figures of all processes of the services every few seconds until `stop`. The engine has to run on this machine. */
export const sampleProcesses = async (stack: Stack, services: readonly string[], intervalMs = 2_000) => {
  const processes = (
    await Promise.all(
      services.map(async (service) =>
        (await stack.containers(service)).map(({ State }, index) => ({
          name: `${service} ${index + 1}`,
          pid: childOf(State.Pid),
          samples: [] as Sample[],
        })),
      ),
    )
  ).flat();
  const began = performance.now();
  const read = (): void => {
    for (const { pid, samples } of processes)
      samples.push({
        seconds: (performance.now() - began) / 1_000,
        megabytes: residentMegabytes(pid),
        descriptors: readdirSync(`/proc/${pid}/fd`).length,
      });
  };
  let failure: unknown;
  const timer = setInterval(() => {
    try {
      read();
    } catch (error) {
      failure ??= error;
    }
  }, intervalMs);
  return {
    processes,
    /** @throws when a process has ended meanwhile */
    stop: (): void => {
      clearInterval(timer);
      if (failure) throw failure as Error;
    },
  };
};
