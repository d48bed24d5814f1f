import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';

export interface Place {
  readonly host: string;
  readonly port: number;
}

/** A datagram is lost now and then: one that gets no answer is sent again. */
const MOST_SENDS = 3;

/**
 * Sends a datagram and resolves with what `read` makes of the first answer that it knows.
 * @param read undefined for what is no answer to this request
 * @param waitMs for each of three attempts
 */
export const ask = async <Answer>(
  { host, port }: Place,
  request: () => Buffer,
  read: (answer: Buffer) => Answer | undefined,
  waitMs: number,
): Promise<Answer> => {
  const { address, family } = await lookup(host);
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Answer>((resolve, reject) => {
      socket.on('message', (message) => {
        try {
          const answer = read(message);
          if (answer !== undefined) resolve(answer);
        } catch (error) {
          reject(error as Error);
        }
      });
      socket.on('error', reject);
      // A connected socket learns when nothing listens there, and takes answers from there alone.
      socket.connect(port, address, () => {
        let sends = 0;
        const send = (): void => {
          if (sends === MOST_SENDS) reject(new Error('no answer'));
          else {
            sends += 1;
            socket.send(request());
            timer = setTimeout(send, waitMs);
          }
        };
        send();
      });
    });
  } finally {
    clearTimeout(timer);
    socket.close();
  }
};
