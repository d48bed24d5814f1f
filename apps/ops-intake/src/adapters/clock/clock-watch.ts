import type { Logger } from '@workspace/logging';
import type { Clock } from '@workspace/service-kit';
import { type ClockReading, type ClockState, clockWarning } from '../../application/clock-state.ts';
import { askChrony } from './chrony.ts';
import { askNtp } from './ntp.ts';

export interface ClockWatchOptions {
  /** `chrony://host:port` or `ntp://host:port` */
  source: string;
  /** most seconds that the clock may be off */
  maxDivergenceSeconds: number;
  intervalMs: number;
  /** milliseconds to wait for each of three attempts */
  waitMs?: number;
  clock: Clock;
  /** microseconds since 1970 */
  microseconds: () => number;
  logger: Logger;
}

/** What is known of the clock, probed from time to time. */
export interface ClockWatch {
  state(): ClockState;
  /** resolves after the first probe */
  readonly probed: Promise<void>;
  close(): void;
}

const PORTS = { 'chrony:': 323, 'ntp:': 123 };

export const watchClock = (options: ClockWatchOptions): ClockWatch => {
  const { source, maxDivergenceSeconds, intervalMs, waitMs = 1_000, clock, logger } = options;
  const { protocol, hostname, port } = new URL(source);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const place = { host, port: Number(port) || PORTS[protocol as keyof typeof PORTS] };
  let state: ClockState = {};
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const read = (): Promise<ClockReading> =>
    protocol === 'ntp:'
      ? askNtp(place, { waitMs, now: options.microseconds, enough: maxDivergenceSeconds })
      : askChrony(place, waitMs);

  const probe = async (): Promise<ClockState> => {
    try {
      const reading = await read();
      const warning = clockWarning(reading, maxDivergenceSeconds);
      return { reading, checkedAt: clock(), ...(warning !== undefined && { warning }) };
    } catch (error) {
      return { checkedAt: clock(), warning: `not known: ${source}: ${(error as Error).message}` };
    }
  };

  const run = async (): Promise<void> => {
    const next = await probe();
    if (isClosed) return;
    const { reading, warning } = next;
    if (warning !== undefined && state.warning === undefined) {
      logger.warn({ source, reason: warning, ...reading }, 'clock may be wrong');
    } else if (warning === undefined && (state.warning !== undefined || state.checkedAt === undefined)) {
      logger.info({ source, ...reading }, 'clock synchronised');
    }
    state = next;
    timer = setTimeout(() => void run(), intervalMs).unref();
  };

  return {
    state: () => state,
    probed: run(),
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
};
