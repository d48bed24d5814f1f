import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';

export interface HttpRequestOptions {
  /** text that is sent with POST; GET without one */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** bytes of the answer, as it is sent and as it is unpacked */
  readonly maxBytes: number;
  /** milliseconds for everything: all redirects, and the answer to its end */
  readonly timeoutMs: number;
  /**
   * for large files: an answer that arrives at this rate on average may take longer than `timeoutMs`, as long as it does not
   * pause for that long
   */
  readonly minBytesPerSecond?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** where it came from, after all redirects */
  readonly url: URL;
  /** without its content coding; to be read once, inside of `read` */
  readonly body: AsyncIterable<Buffer>;
}

/** There is no answer, or not one within the bounds. The message is one line, without secrets, and starts with the address. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
  /** whether the same request may succeed later */
  readonly mayPass: boolean;
  constructor(message: string, mayPass: boolean, options?: ErrorOptions) {
    super(message, options);
    this.mayPass = mayPass;
  }
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** What another host may see: no credentials, under whatever name. */
const HARMLESS = new Set(['accept', 'accept-encoding', 'if-modified-since', 'if-none-match', 'user-agent']);

const CODINGS: Readonly<Record<string, () => Transform>> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
};

/**
 * Sends a request by HTTP, reads the answer, and closes the connection, however it ends. Redirects of GET are followed within
 * bounds, but never from HTTPS to HTTP; those of POST are errors. Node's `fetch`, and undici's `request`, end the process when a
 * server closes the connection at the wrong moment (`assert(!this.paused)`).
 * @param read the answer, whatever its status is
 * @throws RequestFailed; what `read` throws passes through
 */
export const httpRequest = async <T>(
  address: string,
  options: HttpRequestOptions,
  read: (answer: HttpAnswer) => Promise<T>,
): Promise<T> => {
  const { timeoutMs } = options;
  let url = urlOf(address);
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  let headers: Record<string, string> = {
    'accept-encoding': 'gzip, br',
    ...options.headers,
    connection: 'close',
  };
  try {
    for (let hop = 0; ; hop++) {
      const failed = (reason: string, mayPass: boolean, cause?: unknown) =>
        new RequestFailed(
          `${nameOf(url)}${hop ? ` (redirect ${hop} of ${nameOf(urlOf(address))})` : ''}: ${reason}`,
          mayPass,
          { cause },
        );
      const lost = (error: unknown) =>
        timeout.signal.aborted
          ? failed(`timed out after ${timeoutMs / 1000} s`, true, error)
          : failed(reasonOf(error as NodeJS.ErrnoException), true, error);
      const response = await send(url, headers, options.body, timeout.signal).catch((error: unknown) => {
        throw lost(error);
      });
      const { location } = response.headers;
      if (location === undefined || !REDIRECTS.has(response.statusCode!)) {
        const body = bodyOf(response, options, { timer, failed, lost });
        return await read({ status: response.statusCode!, headers: response.headers, url, body });
      }
      response.destroy();
      const next = URL.parse(Buffer.from(location, 'latin1').toString(), url.href);
      if (!next || !isHttp(next) || next.username || next.password)
        throw failed('redirects to an address that is not one of HTTP', false);
      const to = `redirects to ${nameOf(next)}`;
      if (options.body !== undefined) throw failed(`${to}: use that address`, false);
      if (url.protocol === 'https:' && next.protocol === 'http:')
        throw failed(`${to}, which is not encrypted: not followed`, false);
      if (hop === MAX_REDIRECTS)
        throw failed(`${to} after ${MAX_REDIRECTS} other redirects: not followed`, false);
      if (next.origin !== url.origin) headers = withoutCredentials(headers);
      url = next;
    }
  } finally {
    clearTimeout(timer);
    timeout.abort();
  }
};

/** The status of an answer, and its text, as UTF-8 without a byte order mark. @throws RequestFailed */
export const httpText = (
  address: string,
  options: HttpRequestOptions,
): Promise<{ status: number; text: string }> =>
  httpRequest(address, options, async ({ status, body }) => ({
    status,
    text: new TextDecoder().decode(await bytesOf(body)),
  }));

/** All bytes of a body. */
export const bytesOf = async (body: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const isHttp = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:';

const urlOf = (address: string): URL => {
  const url = URL.parse(address);
  if (!url || !isHttp(url)) throw new RequestFailed('The address is not one of HTTP.', false);
  if (url.username || url.password)
    throw new RequestFailed(`${nameOf(url)}: an address must not contain a user name or a password`, false);
  return url;
};

/** Without a password and without the query, which may have a key. */
const nameOf = ({ origin, pathname, search }: URL): string => `${origin}${pathname}${search && '?…'}`;

const withoutCredentials = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name === 'connection' || HARMLESS.has(name.toLowerCase())),
  );

const send = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { request } = url.protocol === 'https:' ? https : http;
    const sent = request(
      url,
      { method: body === undefined ? 'GET' : 'POST', headers, signal },
      (response) => {
        // Whoever reads it hears of it; without a listener it would end the process when nobody does.
        response.on('error', () => undefined);
        resolve(response);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });

interface Bounds {
  readonly timer: NodeJS.Timeout;
  readonly failed: (reason: string, mayPass: boolean) => RequestFailed;
  readonly lost: (error: unknown) => RequestFailed;
}

async function* bodyOf(
  response: IncomingMessage,
  { maxBytes, timeoutMs, minBytesPerSecond }: HttpRequestOptions,
  { timer, failed, lost }: Bounds,
): AsyncGenerator<Buffer, void> {
  const tooLarge = () => failed(`the answer is larger than ${sizeText(maxBytes)}`, false);
  async function* bounded(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge();
      yield chunk;
    }
  }
  const startedAt = performance.now();
  async function* punctual(chunks: AsyncIterable<Buffer>, rate: number): AsyncGenerator<Buffer, void> {
    let bytes = 0;
    for await (const chunk of chunks) {
      timer.refresh();
      bytes += chunk.length;
      if (performance.now() - startedAt > timeoutMs + (bytes / rate) * 1000)
        throw failed(`slower than ${sizeText(rate)} a second`, true);
      yield chunk;
    }
  }
  if (Number(response.headers['content-length']) > maxBytes) throw tooLarge();
  const codings = (response.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .reverse();
  const unknown = codings.find((coding) => !Object.hasOwn(CODINGS, coding));
  if (unknown !== undefined) throw failed(`the content coding "${unknown}" is not supported`, false);
  try {
    const sent = minBytesPerSecond === undefined ? response : punctual(response, minBytesPerSecond);
    const unpacking = codings.map((coding) => CODINGS[coding]!());
    const body =
      unpacking.length > 0 ? pipeline([Readable.from(bounded(sent)), ...unpacking], () => undefined) : sent;
    yield* bounded(body as AsyncIterable<Buffer>);
  } catch (error) {
    if (error instanceof RequestFailed) throw error;
    throw isDamage(error) ? failed('the content coding is damaged', true) : lost(error);
  } finally {
    response.destroy();
  }
}

/** zlib's errors: `Z_DATA_ERROR`, and of Brotli `ERR__ERROR_FORMAT_…`. */
const isDamage = (error: unknown): boolean =>
  /^(Z_|ERR__ERROR|ERR_BROTLI)/.test(String((error as NodeJS.ErrnoException).code));

const sizeText = (bytes: number): string => (bytes >= 2 ** 20 ? `${bytes / 2 ** 20} MiB` : `${bytes} bytes`);

/** Why there is no answer, and what to do where that is clear. A name with several addresses has an error for each. */
const reasonOf = (error: NodeJS.ErrnoException): string => {
  const { code = '', message } = (error as Partial<AggregateError>).errors?.[0] ?? error;
  if (code === 'ECONNRESET') return 'the server closed the connection';
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return 'no TLS: is it an address of http://?';
  if (code.startsWith('HPE_')) return `not an answer in HTTP: ${message}`;
  if (/CERT|SIGNATURE/.test(code))
    return `${message}: NODE_EXTRA_CA_CERTS names a certificate authority of your own`;
  return message.replace(/\s+/g, ' ');
};
