import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What wrk saw. Times in milliseconds. */
export interface WrkResult {
  requests: number;
  perSecond: number;
  p50: number;
  p99: number;
  /** answers that were not 2xx or 3xx, and connections that failed */
  failed: number;
}

const UNITS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000, m: 60_000 };

const timeAfter = (output: string, label: string): number => {
  const match = new RegExp(`${label}\\s+([\\d.]+)(us|ms|s|m)\\b`).exec(output);
  if (!match) throw new Error(`wrk printed no ${label}:\n${output}`);
  return Number(match[1]) * (UNITS[match[2] as string] as number);
};

const numberIn = (output: string, pattern: RegExp): number => Number(pattern.exec(output)?.[1] ?? 0);

/** Loads a URL with POSTs of three operations. */
export const runWrk = async (url: string, connections: number, seconds: number): Promise<WrkResult> => {
  const script = new URL('submission.lua', import.meta.url).pathname;
  const args = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '10s',
    '--latency',
    '-s',
    script,
    url,
  ];
  const { stdout } = await promisify(execFile)('wrk', args).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new Error('wrk is not installed; it is a package of most systems');
    throw error;
  });
  const socketErrors = [...(/Socket errors: (.*)/.exec(stdout)?.[1] ?? '').matchAll(/\d+/g)];
  return {
    requests: numberIn(stdout, /(\d+) requests in/),
    perSecond: numberIn(stdout, /Requests\/sec:\s+([\d.]+)/),
    p50: timeAfter(stdout, '50%'),
    p99: timeAfter(stdout, '99%'),
    failed:
      numberIn(stdout, /Non-2xx or 3xx responses: (\d+)/) +
      socketErrors.reduce((sum, [count]) => sum + Number(count), 0),
  };
};
