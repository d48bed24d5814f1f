import { createHash, createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CommandRejected } from './terminal.ts';

/** A webhook as https://www.standardwebhooks.com describes it. */
export interface WebhookMessage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A signed message.
 * @param id names the event: the same when it is sent again, so that a receiver can leave it out
 */
export const signedMessage = (id: string, body: string, key: Buffer, now: Date): WebhookMessage => {
  const timestamp = Math.floor(now.getTime() / 1000);
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': `${timestamp}`,
      'webhook-signature': `v1,${signature}`,
    },
  };
};

/** The same id for the same changes. */
export const messageId = (body: string): string =>
  `msg_${createHash('sha256').update(body).digest('base64url').slice(0, 27)}`;

/** Reads `whsec_` and 24 to 64 bytes in Base64. */
export const readSecret = async (file: string): Promise<Buffer> => {
  const text = (await readFile(file, 'utf8')).trim();
  const key = Buffer.from(/^whsec_([A-Za-z0-9+/]+=*)$/.exec(text)?.[1] ?? '', 'base64');
  if (key.length >= 24 && key.length <= 64) return key;
  throw new CommandRejected(`${file} does not hold whsec_ and 24 to 64 bytes in Base64.`);
};

/** The cursor up to which changes were sent; undefined before the first time. */
export const readCursor = async (file: string): Promise<string | undefined> => {
  try {
    return (await readFile(file, 'utf8')).trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};
