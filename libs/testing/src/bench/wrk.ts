import { runTool } from '../tools.ts';

/** What wrk saw. Times in milliseconds. */
export interface WrkResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** answers that were not 2xx or 3xx */
  readonly failed: number;
  /** connections that ended in an error; a server that closes each one has one for every request */
  readonly socketErrors: number;
}

export interface WrkOptions {
  readonly connections: number;
  readonly seconds: number;
  /** a Lua script that makes the requests */
  readonly script?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** the only core that it may use */
  readonly core?: number;
  /** gives way to all others on its core, such as a client whose times are measured */
  readonly givesWay?: boolean;
}

const UNITS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000, m: 60_000 };

/** What wrk printed, as numbers. */
export const readWrk = (printed: string): WrkResult => {
  const number = (pattern: RegExp): number => Number(pattern.exec(printed)?.[1] ?? 0);
  const time = (label: string): number => {
    // wrk pads the unit to two letters: a time in seconds or minutes has a space behind it.
    const [, value, unit] = new RegExp(`^ +${label}\\s+([\\d.]+)(us|ms|s|m) ?$`, 'm').exec(printed) ?? [];
    return Number(value) * (UNITS[unit as string] as number);
  };
  const errors = /Socket errors: (.*)/.exec(printed)?.[1]?.match(/\d+/g) ?? [];
  return {
    requests: number(/(\d+) requests in/),
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    p50: time('50%'),
    p99: time('99%'),
    failed: number(/Non-2xx or 3xx responses: (\d+)/),
    socketErrors: errors.reduce((sum, count) => sum + Number(count), 0),
  };
};

/** Loads a URL from one thread. */
export const runWrk = async (
  url: string,
  { connections, seconds, script, headers = {}, core, givesWay = false }: WrkOptions,
): Promise<WrkResult> => {
  const [command = 'wrk', ...args] = [
    ...(core === undefined ? [] : ['taskset', '-c', String(core)]),
    ...(givesWay ? ['chrt', '-i', '0'] : []),
    ...['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '--latency'],
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ...(script === undefined ? [] : ['-s', script]),
    url,
  ];
  return readWrk(await runTool(command, args));
};
