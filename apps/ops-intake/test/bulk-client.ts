import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { createInterface } from 'node:readline';

export interface BulkLine {
  readonly key: string;
  readonly partitionKey?: string;
  readonly sequence?: number;
  /** the array, as text */
  readonly operations: string;
}

/** A line as it is sent. */
export const lineText = ({ key, partitionKey, sequence, operations }: BulkLine): string =>
  `${JSON.stringify({ key, partitionKey, sequence }).slice(0, -1)},"operations":${operations}}\n`;

/** Where a stream is cut: after so many bytes were sent, and then this share of their answers was read. */
export interface Cut {
  readonly bytes: number;
  readonly answered: number;
}

export interface LineAnswer extends Record<string, unknown> {
  readonly status: number;
}

/**
 * Sends lines on one connection, to the end or to a cut.
 * @returns the answers that were read until then, by key; none when the stream was not taken
 * @throws Error: an answer is not that of its line
 */
export const sendLines = async (
  port: number,
  lines: readonly BulkLine[],
  cut?: Cut,
): Promise<Map<string, LineAnswer>> => {
  const answers = new Map<string, LineAnswer>();
  const headers = { 'content-type': 'application/x-ndjson' };
  const request = httpRequest({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/operations/batch',
    headers,
  });
  request.on('error', () => undefined);
  request.flushHeaders();
  const [message] = (await once(request, 'response')) as [IncomingMessage];
  message.on('error', () => undefined);
  if (message.statusCode !== 200) {
    request.destroy();
    return answers;
  }
  const body = Buffer.from(lines.map(lineText).join(''));
  if (!cut) request.end(body);
  else await new Promise((sent) => request.write(body.subarray(0, cut.bytes), sent));
  const whole = body.subarray(0, cut?.bytes).toString().split('\n').length - 1;
  const enough = Math.floor(whole * (cut?.answered ?? 1));
  if (cut && enough === 0) request.destroy();
  const texts: string[] = [];
  try {
    for await (const text of createInterface({ input: message })) {
      if (texts.push(text) >= enough && cut) request.destroy();
    }
  } catch (error) {
    // A stream that was cut has no end.
    if (!cut) throw error;
  }
  for (const [at, text] of texts.entries()) {
    const answer = JSON.parse(text) as LineAnswer;
    // The service ended it.
    if (answer['end']) break;
    const { key } = lines[at]!;
    if (answer['line'] !== at + 1 || answer['key'] !== key) throw new Error(`line ${at + 1}: ${text}`);
    answers.set(key, answer);
  }
  return answers;
};
