import type net from 'node:net';
import type tls from 'node:tls';
import { type ApiName, type ApiVersions, checkVersions, versionOf } from './api-versions.ts';
import {
  apiVersionsRequest,
  authenticate,
  encodeProtocolRequest,
  type KafkaJSProtocolError,
  NOT_LEADER_OR_FOLLOWER,
  type ProtocolRequest,
  protocolRequest,
  type SASLOptions,
} from './kafkajs-protocol.ts';
import {
  CLOSED_UNANSWERED,
  type ConnectionFailure,
  explainFailure,
  type Mismatch,
} from './broker-mismatch.ts';
import { frameCollector } from './response-frames.ts';
import { type Runtime, systemRuntime } from './runtime.ts';

const KEEP_ALIVE_MS = 60_000;
/** How much of a login's time is used: what is sent by then has the rest to be answered. */
const USED_OF_SESSION = 0.8;
const MAX_CORRELATION_ID = 2 ** 31 - 1;

export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

/** One connection to one broker, logged in. It ends at its first failure, and every request on it then fails. */
export interface BrokerConnection {
  /** what ended it; undefined while it is open */
  readonly ended: Error | undefined;
  /** aborted when it ends */
  readonly ending: AbortSignal;
  /** Whether its login soon expires, or it is retired: who opens another one in time has no request fail. */
  readonly isExpiring: boolean;
  /** The newest version of a request that both sides support. @throws UnsupportedBroker */
  versionOf(api: ApiName): number;
  /**
   * Sends a request of kafkajs's tables.
   * @throws the broker's error, or what ended the connection
   */
  request(api: ApiName, options: unknown): Promise<unknown>;
  /**
   * Writes a frame and resolves with what follows the correlation id in its answer.
   * @param frameOf makes the whole frame; is not called when the connection has ended
   * @param timeoutMs after which the connection is ended
   * @throws what ended the connection
   */
  send(frameOf: (correlationId: number) => Buffer, timeoutMs: number): Promise<Buffer>;
  /**
   * A quota has the broker read nothing from it for so long (KIP-219): requests are given that much longer. Who uses `request`
   * need not call it.
   */
  throttled(milliseconds: number): void;
  /**
   * Ends the connection at once. While a request has no answer, by a reset: what the broker has not received is dropped, and
   * not delivered by the kernel when the network is back, after the lease of its submissions.
   */
  close(reason: Error): void;
  /**
   * Ends it a request timeout later, once what was sent is answered. `request` does so when the broker is not the leader: it may not
   * even be the broker that was meant, because addresses are given to others.
   */
  retire(): void;
}

/** How to reach a broker and how long to wait for it. */
export interface ConnectionSettings {
  clientId: string;
  /** milliseconds for a TCP or TLS connection to open */
  connectionTimeoutMs: number;
  /** milliseconds for one request to be answered */
  requestTimeoutMs: number;
  /** what TLS needs, asked for each connection: certificates are renewed; plain TCP when left out */
  ssl?: () => Promise<tls.ConnectionOptions>;
  /** the login, asked for each connection: passwords are replaced */
  sasl?: () => Promise<SASLOptions>;
  /** what an operator has to set where these settings do not fit a broker, for messages */
  advice?: Readonly<Partial<Record<Mismatch, string>>>;
}

/** A request without an answer. */
interface Waiting {
  readonly resolve: (payload: Buffer) => void;
  readonly reject: (error: Error) => void;
  readonly timeoutMs: number;
  timer: object;
}

/** As in URLs: `host:port`, with brackets around an IPv6 address. */
const nameOf = ({ host, port }: BrokerAddress): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

const openSocket = (
  address: BrokerAddress,
  connectionTimeoutMs: number,
  ssl: tls.ConnectionOptions | undefined,
  signal: AbortSignal,
  runtime: Runtime,
): Promise<net.Socket> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = runtime.connect(address, ssl);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.setNoDelay(true);
    const timer = runtime.setTimeout(
      () => socket.destroy(new Error(`no connection to ${nameOf(address)} within ${connectionTimeoutMs} ms`)),
      connectionTimeoutMs,
    );
    const abort = (): void => void socket.destroy(new Error('closed'));
    signal.addEventListener('abort', abort);
    const settle = (): void => {
      runtime.clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    socket.on('error', reject);
    socket.once('close', settle);
    socket.once(ssl ? 'secureConnect' : 'connect', () => {
      settle();
      resolve(socket);
    });
  });

/**
 * Connects, asks which versions the broker supports, and logs in.
 * @param signal ends the connection, also while it opens
 * @throws what the socket, the broker or the login said; nothing is left open then
 */
export const openBrokerConnection = async (
  address: BrokerAddress,
  settings: ConnectionSettings,
  signal: AbortSignal,
  runtime: Runtime = systemRuntime,
): Promise<BrokerConnection> => {
  const name = nameOf(address);
  const explained = (failure: Error): Error => explainFailure(failure, name, settings.advice);
  const ssl = await settings.ssl?.();
  const socket = await openSocket(address, settings.connectionTimeoutMs, ssl, signal, runtime).catch(
    (error: Error) => {
      throw explained(error);
    },
  );
  const waiting = new Map<number, Waiting>();
  /** by the monotonic clock: until then the broker reads nothing */
  let throttledUntil = -Infinity;
  const ending = new AbortController();
  let ended: Error | undefined;
  let isRetired = false;
  let retiring: object | undefined;
  /** by the monotonic clock */
  let expiresAt = Infinity;
  let lastId = 0;
  let answers = 0;
  let versions: ApiVersions = {};

  const close = (reason: Error): void => {
    if (ended) return;
    ended = explained(reason);
    signal.removeEventListener('abort', abort);
    if (waiting.size > 0) socket.resetAndDestroy();
    else socket.destroy();
    for (const { reject, timer } of waiting.values()) {
      runtime.clearTimeout(timer);
      reject(ended);
    }
    waiting.clear();
    runtime.clearTimeout(retiring);
    ending.abort();
  };
  const closeIfRetired = (): void => {
    if (isRetired && waiting.size === 0) close(new Error('replaced by another connection'));
  };
  // Who has it at hand may still send.
  const retire = (): void => {
    if (ended) return;
    retiring ??= runtime.setTimeout(() => {
      isRetired = true;
      closeIfRetired();
    }, settings.requestTimeoutMs);
  };
  const abort = (): void => close(new Error('closed'));
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  const collect = frameCollector((frame) => {
    const id = frame.readInt32BE(0);
    const request = waiting.get(id);
    if (!request) return;
    answers += 1;
    waiting.delete(id);
    runtime.clearTimeout(request.timer);
    request.resolve(frame.subarray(4));
    closeIfRetired();
  });
  socket.on('data', (chunk: Buffer) => {
    try {
      collect(chunk);
    } catch (error) {
      close(error as Error);
    }
  });
  const closed = (): void => {
    const error: ConnectionFailure = new Error(`${name} closed the connection`);
    // ApiVersions needs no login.
    if (answers === 1 && waiting.size > 0 && !settings.sasl) error.code = CLOSED_UNANSWERED;
    close(error);
  };
  socket.on('error', close);
  // Not only once it is closed: until then, the kernel continues to deliver what was written.
  socket.on('end', closed);
  socket.on('close', closed);

  const newId = (): number => (lastId = lastId === MAX_CORRELATION_ID ? 0 : lastId + 1);
  const startTimer = (timeoutMs: number): object =>
    runtime.setTimeout(
      () => close(new Error(`${name} did not answer within ${timeoutMs} ms`)),
      timeoutMs + Math.max(throttledUntil - runtime.now(), 0),
    );
  const answerTo = (id: number, frame: Buffer, timeoutMs = settings.requestTimeoutMs): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject, timeoutMs, timer: startTimer(timeoutMs) });
      socket.write(frame);
    });
  const throttled = (milliseconds: number): void => {
    throttledUntil = runtime.now() + milliseconds;
    for (const request of waiting.values()) {
      runtime.clearTimeout(request.timer);
      request.timer = startTimer(request.timeoutMs);
    }
  };
  const send: BrokerConnection['send'] = async (frameOf, timeoutMs) => {
    if (ended) throw ended;
    const id = newId();
    return answerTo(id, frameOf(id), timeoutMs);
  };
  const exchange = async (protocol: ProtocolRequest): Promise<unknown> => {
    const id = newId();
    const frame = await encodeProtocolRequest(protocol, id, settings.clientId);
    if (ended) throw ended;
    const { decode, parse } = protocol.response;
    const decoded = (await decode(await answerTo(id, frame))) as {
      throttleTime?: number;
      clientSideThrottleTime?: number;
      enabledMechanisms?: string[];
    };
    const { throttleTime = 0, clientSideThrottleTime = throttleTime } = decoded;
    if (clientSideThrottleTime > 0) throttled(clientSideThrottleTime);
    // One error in a Metadata answer must not hide the rest of it; who asks reads the codes.
    if (protocol.request.apiName === 'Metadata') return decoded;
    const { enabledMechanisms } = decoded;
    return parse(decoded).catch((error: KafkaJSProtocolError) => {
      if (error.code === NOT_LEADER_OR_FOLLOWER) retire();
      throw Object.assign(error, enabledMechanisms && { enabledMechanisms });
    });
  };

  const newestOf = (api: ApiName): number => versionOf(api, versions, name);
  const logIn = async (sasl: SASLOptions): Promise<void> => {
    newestOf('SaslHandshake');
    newestOf('SaslAuthenticate');
    const began = runtime.now();
    const lifetimeMs = await authenticate({ ...address, versions }, sasl, exchange);
    if (lifetimeMs > 0) expiresAt = began + lifetimeMs * USED_OF_SESSION;
  };

  try {
    const { apiVersions } = (await exchange(apiVersionsRequest())) as {
      apiVersions: { apiKey: number; minVersion: number; maxVersion: number }[];
    };
    versions = Object.fromEntries(apiVersions.map(({ apiKey, ...range }) => [apiKey, range]));
    checkVersions(versions, name);
    if (settings.sasl) await logIn(await settings.sasl());
  } catch (error) {
    close(error as Error);
    throw ended ?? error;
  }
  return {
    get ended() {
      return ended;
    },
    ending: ending.signal,
    get isExpiring() {
      return retiring !== undefined || runtime.now() >= expiresAt;
    },
    versionOf: newestOf,
    send,
    throttled,
    request: async (api, options) => exchange(protocolRequest(api, newestOf(api), options)),
    close,
    retire,
  };
};
