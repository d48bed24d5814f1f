import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Progress, UpdateFailed } from '../../application/update-database.ts';

export interface DownloadOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** the file to write; an unfinished one is continued if the server still has the same version */
  readonly part: string;
  /** validator of a version that need not be downloaded again */
  readonly known?: string | undefined;
  readonly progress: Progress;
  /** of the file; a larger one is an error */
  readonly maxBytes?: number;
  /** milliseconds without a byte after which an attempt is given up */
  readonly stallMs?: number;
  /** milliseconds before the second attempt; doubles with each */
  readonly retryMs?: number;
  readonly attempts?: number;
}

export type Download =
  | {
      readonly outcome: 'complete';
      /** ETag or date of this version */ readonly validator: string | undefined;
    }
  | { readonly outcome: 'not-modified' }
  | { readonly outcome: 'not-found' };

/** An attempt failed in a way that another one may not. */
class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/**
 * Downloads a file over HTTP. An interrupted download continues where it stopped, by Range and If-Range (RFC 9110 §14), in this
 * process or in a later one.
 * @throws UpdateFailed when the server rejects the request or all attempts failed
 */
export const download = async (url: string, options: DownloadOptions): Promise<Download> => {
  const { attempts = 5, retryMs = 1_000 } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptDownload(url, options);
    } catch (error) {
      if (error instanceof UpdateFailed) throw error;
      const reason = reasonOf(error);
      if (attempt === attempts) {
        throw new UpdateFailed(`${hostOf(url)}: ${reason}, ${attempts} times`, { cause: error });
      }
      await delay(retryMs * 2 ** (attempt - 1));
    }
  }
};

const attemptDownload = async (url: string, options: DownloadOptions): Promise<Download> => {
  const { headers = {}, part, known, progress, stallMs = 60_000, maxBytes = Infinity } = options;
  const validatorFile = `${part}.version`;
  const started = await startedDownload(part, validatorFile);
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(new Interrupted(`no data for ${stallMs / 1000} s`)), stallMs);
  try {
    const response = await fetch(url, {
      headers: {
        ...headers,
        // The file as it is: a checksum is of that.
        'accept-encoding': 'identity',
        ...(started
          ? { range: `bytes=${started.size}-`, 'if-range': started.validator }
          : conditional(known)),
      },
      signal: stalled.signal,
    });
    if (isDowngrade(url, response.url)) {
      throw new UpdateFailed(`${hostOf(url)} redirects from HTTPS to HTTP`);
    }
    const { status, body } = response;
    // Without a condition, 304 says nothing about a file that this machine has.
    if (status === 304 && !started && known !== undefined) return { outcome: 'not-modified' };
    if (status === 404) return { outcome: 'not-found' };
    const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get('content-range') ?? '');
    const validator = validatorOf(response.headers);
    // `fetch` unpacks it: its length and its ranges are not those of what is written. Some servers send .gz files so.
    const isEncoded = response.headers.has('content-encoding');
    // Some servers ignore If-Range.
    const isOther = validator !== undefined && validator !== started?.validator;
    if (
      status === 416 ||
      (status === 206 && (isOther || isEncoded || Number(range?.[1]) !== started?.size))
    ) {
      await rm(part, { force: true });
      throw new Interrupted('the server sent another part of the file');
    }
    if (status === 429 || status >= 500) throw new Interrupted(`the server answered ${status}`);
    if ((status !== 200 && status !== 206) || !body) {
      throw new UpdateFailed(
        `${hostOf(url)} answered ${status}${status === 401 || status === 403 ? ': check account and key' : ''}`,
      );
    }
    const resumed = status === 206;
    let received = resumed ? (started?.size ?? 0) : 0;
    const length = response.headers.get('content-length');
    const total = length === null || isEncoded ? undefined : received + Number(length);
    const tooLarge = () =>
      new UpdateFailed(`${hostOf(url)}: the file is larger than ${maxBytes / 2 ** 20} MiB`);
    if (total !== undefined && total > maxBytes) throw tooLarge();
    if (!resumed) {
      await rm(part, { force: true });
      await rm(validatorFile, { force: true });
      if (validator !== undefined && !isEncoded) await writeFile(validatorFile, validator);
    }
    progress(received, total);
    // Written chunk by chunk: what has arrived before an interruption is on the disk for the next attempt.
    const file = await open(part, resumed ? 'a' : 'w');
    try {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        timer.refresh();
        await file.writeFile(chunk);
        received += chunk.length;
        if (received > maxBytes) {
          await rm(part, { force: true });
          throw tooLarge();
        }
        progress(received, total);
      }
    } finally {
      await file.close();
    }
    if (total !== undefined && received !== total)
      throw new Interrupted('the connection was closed too early');
    if ((await stat(part)).size !== received) {
      await rm(part, { force: true });
      throw new Interrupted('the file on the disk is not what was received');
    }
    return { outcome: 'complete', validator };
  } finally {
    clearTimeout(timer);
    // What is left of an answer: the process would wait for its end.
    stalled.abort();
  }
};

/** What an earlier attempt left; undefined when it cannot be continued. */
const startedDownload = async (part: string, validatorFile: string) => {
  try {
    const validator = await readFile(validatorFile, 'utf8');
    const { size } = await stat(part);
    return size > 0 && !validator.startsWith('W/') ? { size, validator } : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

const validatorOf = (headers: Headers): string | undefined =>
  headers.get('etag') ?? headers.get('last-modified') ?? undefined;

const conditional = (known: string | undefined): Record<string, string> => {
  if (known === undefined) return {};
  return /^(W\/)?"/.test(known) ? { 'if-none-match': known } : { 'if-modified-since': known };
};

/** Whether a redirection gives up encryption. @param to where the answer came from; empty when the answer does not say */
export const isDowngrade = (from: string, to: string): boolean =>
  from.startsWith('https:') && to.startsWith('http:');

const hostOf = (url: string): string => new URL(url).host;

/** The innermost message; fetch itself says no more than "fetch failed". */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
};
