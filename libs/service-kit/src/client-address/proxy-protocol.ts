import { Type } from '@sinclair/typebox';
import type { Preface } from '@workspace/http-connections';
import { createIsTrustedProxy, socketAddress } from './client-address.ts';
import { setConnectionClient } from './connection-client.ts';
import { parseProxyHeader } from './proxy-header.ts';

/** The variable that lets proxies name the client by the PROXY protocol; spread it into the service's schema. */
export const proxyProtocolEnv = {
  PROXY_PROTOCOL: Type.Boolean({
    default: false,
    description:
      'whether each connection to the public listener begins with a header of the PROXY protocol, version 1 or 2, from a proxy in `TRUST_PROXY`; others are closed',
  }),
};
export interface ProxyProtocolConfig {
  PROXY_PROTOCOL?: boolean;
  TRUST_PROXY?: string;
}

/** What the schema of `proxyProtocolEnv` cannot check: one sentence for each violation, for `readConfig`. */
export const proxyProtocolViolations = ({ PROXY_PROTOCOL, TRUST_PROXY }: ProxyProtocolConfig): string[] =>
  PROXY_PROTOCOL && !TRUST_PROXY
    ? ['PROXY_PROTOCOL is only accepted from trusted proxies: set TRUST_PROXY too']
    : [];

/** How long a header may take to arrive; at least 3 s, says the protocol, in which TCP sends a lost packet again. */
const HEADER_MS = 5_000;

export interface ProxyProtocolOptions {
  readonly TRUST_PROXY: string;
  /** called with the reason when a connection is closed; not when its other end closes it before it has sent anything */
  readonly onClosed: (reason: string) => void;
  readonly headerMs?: number;
}

/**
 * Reads the header of the PROXY protocol. Its source is then the client of the connection, as if it had connected itself: only
 * if it is a trusted proxy, too, headers of requests count. Where there is no source, they do not: a client that its proxy
 * does not name could name itself.
 */
export const proxyProtocol = ({
  TRUST_PROXY,
  onClosed,
  headerMs = HEADER_MS,
}: ProxyProtocolOptions): Preface => {
  const isTrustedProxy = createIsTrustedProxy({ TRUST_PROXY });
  return (socket, begin) => {
    const close = (reason: string): void => {
      socket.destroy();
      onClosed(reason);
    };
    const peer = socketAddress(socket);
    if (!peer || !isTrustedProxy(peer)) return close('the other end is not in TRUST_PROXY');
    let read: Buffer = Buffer.alloc(0);
    const add = (chunk: Buffer): void => {
      read = read.length === 0 ? chunk : Buffer.concat([read, chunk]);
      const header = parseProxyHeader(read);
      if (header === 'incomplete') return;
      stop();
      if (header === 'invalid') return close('it does not begin with a valid header');
      const { length, source } = header;
      socket.pause();
      if (length < read.length) socket.unshift(read.subarray(length));
      setConnectionClient(socket, { address: source ?? peer, isFinal: source === undefined });
      begin();
      socket.resume();
    };
    const end = (): void => {
      stop();
      // Without a byte, it may be a health check.
      if (read.length > 0) close('it ended within the header');
      else socket.destroy();
    };
    const late = setTimeout(() => {
      stop();
      close(`no header arrived within ${headerMs} ms`);
    }, headerMs).unref();
    const stop = (): void => {
      clearTimeout(late);
      socket.off('data', add).off('end', end).off('close', stop);
    };
    // A connection that is reset closes, and must not end the service.
    socket.on('error', () => undefined);
    socket.on('data', add).on('end', end).on('close', stop);
  };
};
