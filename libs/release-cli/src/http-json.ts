import { bytesOf, type HttpAnswer, httpRequest, RequestFailed } from '@workspace/http-client';
import { CommandRejected } from './terminal.ts';

/** php.net's largest answer has 300 kB. */
const BOUNDS = { maxBytes: 20 * 2 ** 20, timeoutMs: 30_000 };

/**
 * @param redirected hears of an answer of another server
 * @throws CommandRejected when it does not answer JSON within bounds of time and size
 */
export const readJson = (url: string, redirected?: (origin: string) => void): Promise<unknown> =>
  succeed(url, { headers: { accept: 'application/json' } }, async (answer) => {
    if (answer.url.origin !== new URL(url).origin) redirected?.(answer.url.origin);
    try {
      return JSON.parse(new TextDecoder().decode(await bytesOf(answer.body))) as unknown;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new CommandRejected(`${url}: ${error.message}`, { cause: error });
    }
  });

/**
 * Sends a message. What the receiver writes in its answer does not count. A redirect is no acceptance: most would make a GET of it.
 * @throws CommandRejected when it is not accepted
 */
export const post = (
  url: string,
  message: { readonly body: string; readonly headers: Readonly<Record<string, string>> },
): Promise<void> => succeed(url, message, () => Promise.resolve());

const succeed = async <T>(
  url: string,
  request: { readonly body?: string; readonly headers: Readonly<Record<string, string>> },
  read: (answer: HttpAnswer) => Promise<T>,
): Promise<T> => {
  try {
    return await httpRequest(url, { ...BOUNDS, ...request }, (answer) => {
      const { status } = answer;
      if (status < 200 || status > 299) throw new CommandRejected(`${url}: status ${status}`);
      return read(answer);
    });
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error;
    throw new CommandRejected(error.message, { cause: error });
  }
};
