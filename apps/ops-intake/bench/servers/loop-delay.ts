import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds that the event loop was held. */
export interface LoopDelay {
  p50: number;
  p99: number;
  max: number;
}

/** Measures the event-loop delay; sends it to the parent process on request, and starts again. */
export const reportLoopDelay = (): void => {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  const inMs = (nanoseconds: number): number => Number((nanoseconds / 1e6).toFixed(1));
  process.on('message', () => {
    const { max } = histogram;
    const delay: LoopDelay = {
      p50: inMs(histogram.percentile(50)),
      p99: inMs(histogram.percentile(99)),
      max: inMs(max),
    };
    histogram.reset();
    process.send?.(delay);
  });
};
