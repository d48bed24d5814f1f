import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** as it came, compressed perhaps */
  bytes: Buffer;
  body: string;
}

export interface Question {
  /** 127.0.0.1 when left out */
  address?: string;
  port: number;
  /** the Host header; `fetch` would not let it be set */
  host: string;
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** One request through the proxy, on a connection of its own. */
export const ask = ({
  address = '127.0.0.1',
  port,
  host,
  path,
  method = 'GET',
  headers = {},
  body,
}: Question): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      { host: address, port, path, method, headers: { host, ...headers }, agent: false },
      (answer) => {
        buffer(answer).then(
          (bytes) =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              bytes,
              body: bytes.toString(),
            }),
          reject,
        );
      },
    );
    outgoing.on('error', reject).end(body);
  });
