import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { int16, int32, text } from '@workspace/kafka-producer/testing';
import { frameSplitter, requestHead } from './frames.ts';

const SASL_HANDSHAKE = 17;
const API_VERSIONS = 18;
const SASL_AUTHENTICATE = 36;
const UNSUPPORTED_SASL_MECHANISM = 33;
const SASL_AUTHENTICATION_FAILED = 58;

export interface IamFrontOptions {
  port: number;
  /** the broker's listener behind it, which advertises `port` */
  brokerPort: number;
  key: string;
  certificate: string;
  /** Judges the token of a login. @throws why it is rejected */
  check: (token: string) => void;
}

/** Stands before a real broker as Amazon MSK does: TLS, and a login by OAUTHBEARER before anything else is let through. */
export const startIamFront = async (options: IamFrontOptions): Promise<{ close(): void }> => {
  const open = new Set<Socket>();
  const server = createServer({ key: options.key, cert: options.certificate }, (client: TLSSocket) => {
    const broker = connectTcp({ host: '127.0.0.1', port: options.brokerPort });
    for (const socket of [client, broker]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        broker.destroy();
      });
    }
    broker.pipe(client);
    let isLoggedIn = false;

    const reply = (correlationId: number, body: Buffer): void => {
      const head = Buffer.alloc(8);
      head.writeInt32BE(4 + body.length, 0);
      head.writeInt32BE(correlationId, 4);
      client.write(Buffer.concat([head, body]));
    };
    client.on(
      'data',
      frameSplitter((frame) => {
        const { apiKey, correlationId } = requestHead(frame);
        const body = frame.subarray(14 + frame.readInt16BE(12));
        if (apiKey === API_VERSIONS || isLoggedIn) return void broker.write(frame);
        if (apiKey === SASL_HANDSHAKE) {
          const isKnown = textOf(body) === 'OAUTHBEARER';
          const mechanisms = Buffer.concat([int32(1), text('OAUTHBEARER')]);
          return reply(
            correlationId,
            Buffer.concat([int16(isKnown ? 0 : UNSUPPORTED_SASL_MECHANISM), mechanisms]),
          );
        }
        // A broker, too, closes a connection that asks for anything else before it has logged in.
        if (apiKey !== SASL_AUTHENTICATE) return void client.destroy();
        const lifetime = frame.readInt16BE(6) >= 1 ? Buffer.alloc(8) : Buffer.alloc(0);
        try {
          const message = body.subarray(4, 4 + body.readInt32BE(0)).toString();
          const [, token] = /^n,,\u0001auth=Bearer ([^\u0001]+)\u0001\u0001$/.exec(message) ?? [];
          if (token === undefined) throw new Error('not a message of RFC 7628');
          options.check(token);
          isLoggedIn = true;
          return reply(correlationId, Buffer.concat([int16(0), int16(-1), int32(0), lifetime]));
        } catch (error) {
          const reason = text(`Access denied: ${(error as Error).message}`);
          return reply(
            correlationId,
            Buffer.concat([int16(SASL_AUTHENTICATION_FAILED), reason, int32(0), lifetime]),
          );
        }
      }),
    );
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return {
    close: () => {
      server.close();
      open.forEach((socket) => socket.destroy());
    },
  };
};

const textOf = (bytes: Buffer): string => bytes.subarray(2, 2 + bytes.readInt16BE(0)).toString();
