import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** In what form a client asks: as a script does, and with what it has already. */
export type Form = 'plain' | 'unchanged';
export type RequestHeaders = Readonly<Record<string, string>>;

export interface RecordedAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** base64; absent when there is none */
  readonly body?: string;
}

/** What a path answers in each form, and the headers that ask for it. */
export interface Recording {
  readonly asked: Readonly<Partial<Record<Form, RequestHeaders>>>;
  readonly answers: Readonly<Partial<Record<Form, RecordedAnswer>>>;
}

/** What a server sets for each response or connection itself. */
const OWN_HEADERS = new Set(['connection', 'keep-alive', 'date', 'content-length', 'transfer-encoding']);

const ask = async (url: string, headers: RequestHeaders): Promise<RecordedAnswer> => {
  // Not fetch: it would decode the body.
  const asked = request(url, { headers }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const body = (await buffer(response)).toString('base64');
  const kept = Object.entries(response.headers).filter(([name]) => !OWN_HEADERS.has(name));
  return { status: response.statusCode!, headers: Object.fromEntries(kept), ...(body && { body }) };
};

/** Asks for a path in each form; `unchanged` only where the service answers 304. */
export const record = async (url: string): Promise<Recording> => {
  const asked: Partial<Record<Form, RequestHeaders>> = { plain: {} };
  const answers: Partial<Record<Form, RecordedAnswer>> = { plain: await ask(url, {}) };
  const condition = { 'If-None-Match': String(answers.plain!.headers['etag']) };
  const unchanged = await ask(url, condition);
  if (unchanged.status === 304) {
    asked.unchanged = condition;
    answers.unchanged = unchanged;
  }
  return { asked, answers };
};
