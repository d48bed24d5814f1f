import { Type } from '@sinclair/typebox';
import { createHash } from 'node:crypto';
import { ClientClosedError, ClientOfflineError, createClient, ErrorReply } from 'redis';
import { CallFailed } from '../call-failed.ts';
import { BAD_REPLY, checkedBy } from '../checked-reply.ts';
import type { Durability } from '../store-server.ts';
import type { RedisLogin, RedisNode } from './redis-address.ts';

const LONGEST_PAUSE_MS = 1_000;
/** Before the next attempt to connect, milliseconds. */
export const pauseBefore = (retries: number): number => Math.min(50 * 2 ** retries, LONGEST_PAUSE_MS);

export interface ClientOptions {
  readonly login: RedisLogin;
  readonly database?: number;
  readonly tls: boolean;
  /** milliseconds to wait for a connection */
  readonly timeoutMs: number;
}

/** Options of node-redis for any server, of which its address is still missing. */
export const clientOptions = ({ login, database = 0, tls, timeoutMs }: ClientOptions) => ({
  ...login,
  database,
  // A command that waits for a connection would be a request that hangs; and it would be sent on another connection.
  disableOfflineQueue: true as const,
  socket: { connectTimeout: timeoutMs, reconnectStrategy: pauseBefore, ...(tls && { tls: true as const }) },
});

/** Never connected. `createClient` makes a class with a method for each command, which takes 20 ms; duplicates share it. */
const PROTOTYPE = createClient();

/**
 * One server by one connection.
 * @param isKept whether it is opened again after it was lost
 */
export const newClient = ({ host, port }: RedisNode, options: ClientOptions, isKept: boolean) => {
  const { socket, ...others } = clientOptions(options);
  const reconnectStrategy = isKept ? socket.reconnectStrategy : (false as const);
  return PROTOTYPE.duplicate({ ...others, socket: { ...socket, host, port, reconnectStrategy } });
};
export type Client = ReturnType<typeof newClient>;

const REOPENED_MS = 1_000;

/** Opens connections again: the first time at once, and then once a second. @returns asks for it; `stop` forgets that */
export const reopening = (open: () => void): { (): void; stop(): void } => {
  let timer: NodeJS.Timeout | undefined;
  let openedAt = -Infinity;
  const soon = (): void => {
    timer ??= setTimeout(
      () => {
        timer = undefined;
        openedAt = performance.now();
        open();
      },
      Math.max(openedAt + REOPENED_MS - performance.now(), 0),
    );
  };
  return Object.assign(soon, { stop: () => clearTimeout(timer) });
};

/**
 * Errors of a server that is not the one that keeps the keys, or not any more, as after a failover behind one address: the connection
 * stays open, and only another one can reach the right server. Slots are for servers of a Cluster.
 */
export const WRONG_SERVER: ReadonlySet<string> = new Set([
  'READONLY',
  'MASTERDOWN',
  'NOMASTERLINK',
  'NOREPLICAS',
  'LOADING',
  'MISCONF',
  'UNBLOCKED',
  'UNKILLABLE',
  'REDIRECT',
  'NOAUTH',
  'WRONGPASS',
  'MOVED',
  'ASK',
  'TRYAGAIN',
  'CROSSSLOT',
  'CLUSTERDOWN',
  BAD_REPLY,
]);

/** What went wrong, in the store's own words. */
export const callFailed = (error: Error): CallFailed => {
  if (error instanceof CallFailed) return error;
  if (error instanceof ErrorReply) {
    // Of a script's error only the store's own words, not where in the script it came up.
    const [message = ''] = error.message.split(/,? script: /);
    return new CallFailed(/^[A-Z]+\b/.exec(message)?.[0] ?? 'ERR', false, message, error);
  }
  const isUnsent = error instanceof ClientOfflineError || error instanceof ClientClosedError;
  return new CallFailed('DISCONNECTED', !isUnsent, isUnsent ? 'not connected' : error.message, error);
};

/** A script and what it is about. */
export interface ScriptCall {
  readonly script: string;
  readonly keys: string[];
  readonly args: (string | number)[];
  /** whether it counts only when it is as durable as asked */
  readonly isDurable: boolean;
}

type Command = Pick<ScriptCall, 'script' | 'keys' | 'args'>;

const digests = new Map<string, string>();
/** By which a server knows a script that it has run; its text takes more time to send and to read than most scripts do. */
const scriptDigestOf = (script: string): string => {
  const known = digests.get(script);
  if (known) return known;
  const digest = createHash('sha1').update(script).digest('hex');
  digests.set(script, digest);
  return digest;
};

const runKnown = (client: Pick<Client, 'evalSha'>, { script, keys, args }: Command): Promise<unknown> =>
  client.evalSha(scriptDigestOf(script), { keys, arguments: args.map(String) });

/** Runs a script by its text, which the server then knows. */
const runAnew = (client: Pick<Client, 'eval'>, { script, keys, args }: Command): Promise<unknown> =>
  client.eval(script, { keys, arguments: args.map(String) });

/** Whether a server did nothing because it does not know the script. */
const isUnknownScript = (error: unknown): boolean =>
  error instanceof ErrorReply && error.message.startsWith('NOSCRIPT');

/** @throws CallFailed */
export const evaluate = async (
  client: Pick<Client, 'eval' | 'evalSha'>,
  command: Command,
): Promise<unknown> => {
  try {
    return await runKnown(client, command).catch((error: unknown) => {
      if (isUnknownScript(error)) return runAnew(client, command);
      throw error;
    });
  } catch (error) {
    throw callFailed(error as Error);
  }
};

/** Which part of the time limit of a call a server may take to confirm: a call waits for the confirmation before its own, too. */
const CONFIRMATIONS_PER_TIMEOUT = 3;

/** how many have confirmed, the first of them those that count */
const confirmedBy = checkedBy(Type.Array(Type.Integer(), { minItems: 1 }));

/** Waits until the writes of this connection are as durable as asked. @throws CallFailed when they are not in time */
const confirm = async (
  client: Client,
  durability: Exclude<Durability, 'none'>,
  timeoutMs: number,
): Promise<void> => {
  const limit = String(Math.ceil(timeoutMs / CONFIRMATIONS_PER_TIMEOUT));
  try {
    if (durability === 'replicated') {
      const [replicas = 0] = confirmedBy([await client.sendCommand(['WAIT', '1', limit])]);
      if (replicas >= 1) return;
      throw new CallFailed('NOT_DURABLE', true, `no replica confirmed a write within ${limit} ms`);
    }
    const [onDisk = 0] = confirmedBy(await client.sendCommand(['WAITAOF', '1', '0', limit]));
    if (onDisk >= 1) return;
    throw new CallFailed('NOT_DURABLE', true, `a write was not on disk within ${limit} ms (appendfsync)`);
  } catch (error) {
    if (!(error instanceof ErrorReply)) throw error;
    // It became a replica, or is none of ours: not what an operator set.
    if (/replica instances/i.test(error.message))
      throw new CallFailed('READONLY', true, error.message, error);
    if (WRONG_SERVER.has(callFailed(error).type)) throw error;
    const reason = /unknown command/i.test(error.message)
      ? 'the server has no WAITAOF, which needs Redis 7.2 or Valkey'
      : /appendonly/i.test(error.message)
        ? 'the server keeps no append-only file: set appendonly yes'
        : error.message;
    throw new CallFailed('NOT_DURABLE', true, `IDEMPOTENCY_STORE_DURABILITY=${durability}: ${reason}`, error);
  }
};

/**
 * Runs scripts on one connection, each as durable as asked. The server answers nothing on a connection that waits, so the scripts
 * that arrive meanwhile are sent together, and one confirmation is for all of them.
 *
 * A confirmation is only about the connection's own writes, and on a new connection it is given at once. It is sent with the
 * scripts, and a client without an offline queue moves no command to another connection.
 */
const scriptsOn = (client: Client, durability: Durability, timeoutMs: number) => {
  interface Waiting {
    call: ScriptCall;
    /** whether the server did not know the script */
    isNew?: boolean;
    resolve: (reply: unknown) => void;
    reject: (error: CallFailed) => void;
  }
  let waiting: Waiting[] = [];
  let isConfirming = false;

  const next = (level: Exclude<Durability, 'none'>): void => {
    const group = waiting;
    waiting = [];
    isConfirming = group.length > 0;
    if (!isConfirming) return;
    const replies = group.map(({ call, isNew }) => (isNew ? runAnew : runKnown)(client, call));
    const confirmation = confirm(client, level, timeoutMs);
    for (const [index, one] of group.entries()) {
      Promise.all([replies[index], confirmation]).then(
        ([reply]) => one.resolve(reply),
        (error: Error) => {
          // This confirmation would not be about the script that is sent now.
          if (isUnknownScript(error)) add({ ...one, isNew: true });
          else one.reject(callFailed(error));
        },
      );
    }
    confirmation.catch(() => undefined).finally(() => next(level));
  };

  const add = (one: Waiting): void => {
    waiting.push(one);
    if (!isConfirming) next(durability as Exclude<Durability, 'none'>);
  };

  return (call: ScriptCall): Promise<unknown> => {
    if (durability === 'none' || !call.isDurable) return evaluate(client, call);
    return new Promise((resolve, reject) => add({ call, resolve, reject }));
  };
};

/** Runs scripts on connections, each as durable as asked. @throws CallFailed */
export const scriptRunner = (durability: Durability, timeoutMs: number) => {
  const runners = new WeakMap<Client, ReturnType<typeof scriptsOn>>();
  return (client: Client, call: ScriptCall): Promise<unknown> => {
    let runner = runners.get(client);
    if (!runner) runners.set(client, (runner = scriptsOn(client, durability, timeoutMs)));
    return runner(call);
  };
};
