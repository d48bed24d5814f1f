import { CommandRejected } from './terminal.ts';

const TIMEOUT_MS = 30_000;
/** php.net's largest answer has 300 kB. */
const MAX_BYTES = 20 * 1024 * 1024;

/** @throws CommandRejected when it does not answer JSON within bounds of time and size */
export const readJson = (url: string): Promise<unknown> =>
  orRejected(url, async () => {
    const answer = await succeed(url, { headers: { accept: 'application/json' } });
    return JSON.parse(await boundedText(answer)) as unknown;
  });

/**
 * Sends a message. What the receiver writes in its answer does not count. A redirect is no acceptance: most would make a GET of it.
 * @throws CommandRejected when it is not accepted
 */
export const post = (url: string, init: Pick<RequestInit, 'body' | 'headers'>): Promise<void> =>
  orRejected(url, async () => {
    const answer = await succeed(url, { ...init, method: 'POST', redirect: 'manual' });
    await answer.body?.cancel();
  });

const orRejected = async <T>(url: string, ask: () => Promise<T>): Promise<T> => {
  try {
    return await ask();
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error && cause.message ? `${message}: ${cause.message}` : message;
    throw new CommandRejected(`${url}: ${reason}`, { cause: error });
  }
};

const succeed = async (url: string, init: RequestInit): Promise<Response> => {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (answer.ok) return answer;
  await answer.body?.cancel();
  throw new Error(`status ${answer.status}`);
};

const boundedText = async (answer: Response): Promise<string> => {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`the answer is longer than ${MAX_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
};
