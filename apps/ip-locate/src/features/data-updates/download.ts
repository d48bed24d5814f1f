import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type HttpAnswer, httpRequest, RequestFailed } from '@workspace/http-client';
import { UpdateFailed } from '../../cli/data-option.ts';

/** Bytes so far, of how many; the total is undefined when the server does not say. */
export type Progress = (received: number, total: number | undefined) => void;

/** How downloads that break off are tried again. */
export interface RetryOptions {
  /** milliseconds without a byte after which an attempt is given up */
  readonly stallMs?: number;
  /** milliseconds before the second attempt; doubles with each */
  readonly retryMs?: number;
  readonly attempts?: number;
}

interface DownloadOptions extends RetryOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** the file to write; replaced if it exists */
  readonly part: string;
  /** validator of a version that need not be downloaded again */
  readonly known?: string | undefined;
  readonly progress: Progress;
  /** of the file; a larger one is an error */
  readonly maxBytes: number;
}

type Download =
  | {
      readonly outcome: 'complete';
      /** ETag or date of this version */ readonly validator: string | undefined;
    }
  | { readonly outcome: 'not-modified' }
  | { readonly outcome: 'not-found' };

/** A slow line; at a tenth of it a file would take hours. */
const MIN_BYTES_PER_SECOND = 50_000;

/**
 * Downloads a file over HTTP, anew after an interruption.
 * @throws UpdateFailed when the server rejects the request or all attempts failed
 */
export const download = async (url: string, options: DownloadOptions): Promise<Download> => {
  const { headers, known, maxBytes, attempts = 3, retryMs = 1_000, stallMs = 60_000 } = options;
  const request = {
    // The file as it is: a checksum is of that.
    headers: { ...headers, ...conditional(known), 'accept-encoding': 'identity' },
    maxBytes,
    timeoutMs: stallMs,
    minBytesPerSecond: MIN_BYTES_PER_SECOND,
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return await httpRequest(url, request, (answer) => save(url, answer, options));
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      const { message, mayPass } = error;
      if (!mayPass) throw new UpdateFailed(message, { cause: error });
      if (attempt === attempts) throw new UpdateFailed(`${message}, ${attempts} times`, { cause: error });
      await delay(retryMs * 2 ** (attempt - 1));
    }
  }
};

const save = async (
  url: string,
  { status, headers, body }: HttpAnswer,
  { part, known, progress }: DownloadOptions,
): Promise<Download> => {
  // Without a condition, 304 says nothing about a file that this machine has.
  if (status === 304 && known !== undefined) return { outcome: 'not-modified' };
  if (status === 404) return { outcome: 'not-found' };
  const answered = `${new URL(url).host} answered ${status}`;
  if (status === 429 || status >= 500) throw new RequestFailed(answered, true);
  if (status !== 200)
    throw new UpdateFailed(`${answered}${status === 401 || status === 403 ? ': check account and key' : ''}`);
  // Some servers call .gz files a coding of what is in them: the length is that of the packed file.
  const length = headers['content-encoding'] === undefined ? headers['content-length'] : undefined;
  const total = length === undefined ? undefined : Number(length);
  let received = 0;
  progress(received, total);
  const file = await open(part, 'w');
  try {
    for await (const chunk of body) {
      await file.writeFile(chunk);
      received += chunk.length;
      progress(received, total);
    }
  } finally {
    await file.close();
  }
  return { outcome: 'complete', validator: headers.etag ?? headers['last-modified'] };
};

const conditional = (known: string | undefined): Record<string, string> => {
  if (known === undefined) return {};
  return /^(W\/)?"/.test(known) ? { 'if-none-match': known } : { 'if-modified-since': known };
};
