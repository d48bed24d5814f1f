import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that forwards requests as if they came from another caller. */
export interface Proxy {
  readonly port: number;
  close(): void;
}

/** Forwards everything to `port`, as if it came from `caller`. */
export const proxyFrom = async (caller: string, port: number): Promise<Proxy> => {
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forwarded = { ...headers, 'x-forwarded-for': caller };
    const passed = request({ port, host: '127.0.0.1', method, path: url, headers: forwarded }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
