import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';

/** Time, scheduling and network as an argument, so that a simulation can take the place of the system's. */
export interface Runtime {
  /** milliseconds, monotonic */
  now(): number;
  /** @returns what `clearTimeout` takes */
  setTimeout(callback: () => void, milliseconds: number): object;
  clearTimeout(timer: object | undefined): void;
  setImmediate(callback: () => void): void;
  /** Resolves after so long, or at once when the signal is aborted. Never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** A socket that can be reset. @param tlsOptions makes it a TLS connection */
  connect(address: { host: string; port: number }, tlsOptions?: tls.ConnectionOptions): net.Socket;
}

export const systemRuntime: Runtime = {
  now: () => performance.now(),
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
  setImmediate: (callback) => void setImmediate(callback),
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
  connect: ({ host, port }, tlsOptions) => {
    // Before there is a socket to close: it throws where a certificate and a key do not match.
    const secureContext = tlsOptions && (tlsOptions.secureContext ?? tls.createSecureContext(tlsOptions));
    const tcp = net.connect({ host, port });
    if (!secureContext) return tcp;
    const servername = net.isIP(host) ? {} : { servername: host };
    const secure = tls.connect({ socket: tcp, ...servername, ...tlsOptions, secureContext });
    // Node resets sockets of TCP only.
    secure.resetAndDestroy = () => {
      tcp.resetAndDestroy();
      return secure.destroy();
    };
    return secure;
  },
};
