import type { Timer } from '@workspace/service-process';
import { CallFailed } from './call-failed.ts';
import type { SharedStoreOptions } from './store-server.ts';

export interface AvailabilityOptions extends Pick<
  SharedStoreOptions,
  'timeoutMs' | 'timers' | 'logger' | 'observer'
> {
  /** Shows that the store accepts writes; it counts as available when this resolves. Rejects with `CallFailed`. */
  probe: () => Promise<void>;
  /** Several probes in a row were not answered. */
  onHang: () => void;
}

/** Whether a store can be used, from its last call, and from a probe every second. */
export interface Availability {
  /** Waits for an answer no longer than the time limit. @throws CallFailed */
  call<Answer>(answer: Promise<Answer>): Promise<Answer>;
  /** The same for what the store may refuse: that is no failure of it. */
  optional<Answer>(answer: Promise<Answer>): Promise<Answer>;
  /** Notes what went wrong between calls. */
  failed(failure: CallFailed): void;
  /** Probes now, unless a probe is under way. */
  probe(): void;
  /** resolves when the store could be used for the first time */
  readonly connected: Promise<void>;
  /** why the store cannot be used now; undefined when it can */
  readonly error: string | undefined;
  close(): void;
}

const PROBE_MS = 1_000;
/** How long the store must answer without a failure before an outage is over: one that answers now and then is no news. */
const STABLE_MS = 5_000;
/** So many probes in a row that were not answered are more than a slow moment. */
const UNANSWERED_PROBES = 3;

/** It detects a store that is unreachable, hangs or rejects writes, and one that works again. */
export const watchAvailability = (options: AvailabilityOptions): Availability => {
  const { timeoutMs, timers, logger, observer } = options;
  let unavailable: string | undefined = 'not connected yet';
  /** by the monotonic clock, when a call failed last, during an outage and until it is over */
  let failedAt: number | undefined;
  /** types of failure that were logged in this outage: the one to fix may come after that of a slow start */
  const logged = new Set<string>();
  let unanswered = 0;
  let onConnected: () => void = () => undefined;
  const connected = new Promise<void>((resolve) => (onConnected = resolve));

  const failed = ({ type, message }: CallFailed): void => {
    observer?.storeFailed(type);
    if (!logged.has(type)) {
      logged.add(type);
      logger.warn({ reason: message }, 'idempotency store unavailable; submissions with a key get 503');
    }
    failedAt = timers.now();
    unavailable = message;
  };

  /** One promise and one timer: a submission with a key comes here twice. */
  const withinTimeout = <Answer>(
    answer: Promise<Answer>,
    onFailed?: (failure: CallFailed) => void,
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      let isOver = false;
      const fail = (error: Error): void => {
        if (isOver) return;
        isOver = true;
        timers.clearTimeout(timer);
        if (error instanceof CallFailed) onFailed?.(error);
        reject(error);
      };
      const expire = (): void => fail(new CallFailed('TIMEOUT', true, `no answer within ${timeoutMs} ms`));
      const timer = timers.setTimeout(expire, timeoutMs, undefined);
      answer.then((value) => {
        timers.clearTimeout(timer);
        resolve(value);
      }, fail);
    });

  const call = <Answer>(answer: Promise<Answer>): Promise<Answer> => withinTimeout(answer, failed);

  const probeOnce = async (): Promise<void> => {
    try {
      await options.probe();
      unanswered = 0;
      if (failedAt !== undefined && timers.now() - failedAt >= STABLE_MS) {
        failedAt = undefined;
        logged.clear();
        logger.info('idempotency store available');
      }
      unavailable = undefined;
      onConnected();
    } catch (error) {
      if (!(error instanceof CallFailed)) {
        logger.error({ err: error }, 'probing the idempotency store');
        failed(new CallFailed('ERROR', true, (error as Error).message, error));
        return;
      }
      unanswered = error.type === 'TIMEOUT' ? unanswered + 1 : 0;
      if (unanswered < UNANSWERED_PROBES) return;
      unanswered = 0;
      options.onHang();
    }
  };
  let probing: Promise<void> | undefined;
  const probe = (): void => {
    probing ??= probeOnce().finally(() => (probing = undefined));
  };
  let timer: Timer | undefined;
  const probeLater = (): void => {
    timer = timers.setTimeout(
      () => {
        probe();
        probeLater();
      },
      PROBE_MS,
      undefined,
    );
    timer.unref();
  };
  probeLater();

  return {
    call,
    optional: (answer) => withinTimeout(answer),
    failed,
    probe,
    connected,
    get error() {
      return unavailable;
    },
    close: () => timers.clearTimeout(timer),
  };
};
