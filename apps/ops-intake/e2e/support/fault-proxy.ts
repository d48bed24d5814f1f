import { once } from 'node:events';
import { type Server, type Socket, createConnection, createServer } from 'node:net';
import { frameSplitter, requestHead, responseId } from './frames.ts';
import { type Hold, type LinkQuality, openLink } from './link.ts';
import { type Random, seededRandom } from '@workspace/testing/seeded-random';

/**
 * What can happen to a request. Cuts reset both connections:
 * `cut-before` before the broker sees the request, `cut-after` when its answer has come (so it has been carried out),
 * `cut-inside` in the middle of the answer; `stall` holds the answer, and those behind it.
 */
export type FaultKind = 'cut-before' | 'cut-after' | 'cut-inside' | 'stall';

/** A fault that hits requests of one API with a probability. */
export interface FaultRule {
  kind: FaultKind;
  apiKey: number;
  /** 0 to 1; the probabilities of one API's rules together at most 1. */
  probability: number;
  /** For `stall`: how long. */
  hold?: Hold;
}

/** A TCP proxy in front of one broker that understands Kafka's frames. */
export interface FaultProxy {
  readonly port: number;
  /** Where the broker is; may be set after the proxy listens, because the broker has to know our port first. */
  target: number;
  /** From now on, for requests that come from now on. */
  rules: readonly FaultRule[];
  quality: LinkQuality;
  /** How often each fault has struck. */
  readonly struck: Readonly<Record<FaultKind, number>>;
  /** Requests seen, by API key. */
  readonly requests: ReadonlyMap<number, number>;
  /** Resets every open connection. */
  reset(): void;
  close(): Promise<void>;
}

export const startFaultProxy = async (options: { port: number; seed: number }): Promise<FaultProxy> => {
  const random = seededRandom(options.seed);
  const struck = { 'cut-before': 0, 'cut-after': 0, 'cut-inside': 0, stall: 0 };
  const requests = new Map<number, number>();
  const open = new Set<Socket>();
  const server: Server = createServer({ noDelay: true }, (client) => connect(client));

  const proxy: FaultProxy = {
    port: options.port,
    target: 0,
    rules: [],
    quality: {},
    struck,
    requests,
    reset: () => open.forEach((socket) => socket.resetAndDestroy()),
    close: async () => {
      server.close();
      proxy.reset();
      await once(server, 'close');
    },
  };

  const connect = (client: Socket): void => {
    const broker = createConnection({ port: proxy.target, host: '127.0.0.1', noDelay: true });
    const pair = [client, broker];
    const cut = (): void => pair.forEach((socket) => socket.resetAndDestroy());
    for (const socket of pair) {
      open.add(socket);
      socket.on('error', cut);
      socket.on('close', () => {
        open.delete(socket);
        pair.forEach((other) => other.destroy());
      });
    }
    const toBroker = openLink(broker, () => proxy.quality, random);
    const toClient = openLink(client, () => proxy.quality, random);
    const doomed = new Map<number, FaultRule>();

    const strike = (kind: FaultKind): void => {
      struck[kind] += 1;
      if (kind !== 'stall') cut();
    };
    client.on(
      'data',
      frameSplitter((frame) => {
        const { apiKey, correlationId } = requestHead(frame);
        requests.set(apiKey, (requests.get(apiKey) ?? 0) + 1);
        const rule = chooseRule(proxy.rules, apiKey, random);
        if (rule?.kind === 'cut-before') return strike('cut-before');
        if (rule) doomed.set(correlationId, rule);
        toBroker.send(frame);
      }),
    );
    broker.on(
      'data',
      frameSplitter((frame) => {
        const rule = doomed.get(responseId(frame));
        doomed.delete(responseId(frame));
        if (!rule) return toClient.send(frame);
        if (rule.kind === 'stall') {
          strike('stall');
          return toClient.send(frame, rule.hold);
        }
        if (rule.kind === 'cut-inside') {
          // Half of the answer has to leave before the reset, which discards what is not yet sent.
          client.write(frame.subarray(0, Math.ceil(frame.length / 2)), () => strike('cut-inside'));
          return;
        }
        strike(rule.kind);
      }),
    );
  };

  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return proxy;
};

/** At most one rule strikes a request; their probabilities are laid side by side on [0, 1). */
const chooseRule = (rules: readonly FaultRule[], apiKey: number, random: Random): FaultRule | undefined => {
  const candidates = rules.filter((rule) => rule.apiKey === apiKey);
  if (candidates.length === 0) return undefined;
  let dice = random();
  return candidates.find((rule) => (dice -= rule.probability) < 0);
};
