import { ErrorReply } from 'redis';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { CallFailed } from '../call-failed.ts';
import { BAD_REPLY, checkedBy } from '../checked-reply.ts';
import { callFailed } from './redis-client.ts';
import type { RightServer } from './right-server.ts';

/** The server does nothing else while a script runs: half a millisecond for so many keys. */
const MOST_AT_ONCE = 64;

/** Milliseconds since 1970, as scripts write them. */
export const Time = Type.String({ pattern: '^\\d{1,15}(\\.\\d+)?$' });
export const Flag = Type.Union([Type.Literal('0'), Type.Literal('1')]);
const Failed = Type.Tuple([Type.Literal('error'), Type.String()]);
/** Checks what a script says of one key, or why it failed for that one. */
export const keyReply = <Schema extends TSchema>(schema: Schema) => checkedBy(Type.Union([Failed, schema]));

/** The same of a key that is settled. */
export const settledBy = keyReply(Type.Tuple([Type.Union([Type.Literal('settled'), Type.Literal('other')])]));

/** A script that runs for several keys with the same tag at once. */
export interface KeyScript<Item, Reply extends readonly [string, ...unknown[]], Result> {
  readonly script: string;
  /** whether it counts only when it is as durable as asked */
  readonly isDurable: boolean;
  /** Keys and arguments that come before those of the items. */
  shared(tag: string): { readonly keys?: readonly string[]; readonly args: readonly (string | number)[] };
  /** of the key, before tag and id */
  readonly prefix: string;
  idOf(item: Item): string;
  argsOf(item: Item): readonly (string | number)[];
  /** of `keyReply` */
  readonly check: (reply: unknown) => Reply | Static<typeof Failed>;
  read(reply: Reply, item: Item): Result;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Runs a script together for what is asked for in one iteration of the event loop: a command costs more than what it does for
 * one key. @throws CallFailed what is said of one key is thrown for that one alone
 */
export const forKeys = <Item, Reply extends readonly [string, ...unknown[]], Result>(
  connection: Pick<RightServer, 'run' | 'tagOf'>,
  { script, isDurable, shared, prefix, idOf, argsOf, check, read }: KeyScript<Item, Reply, Result>,
): ((item: Item) => Promise<Result>) => {
  const waiting = new Map<string, Waiting<Item, Result>[]>();

  const run = (tag: string, items: readonly Item[]): Promise<readonly unknown[]> => {
    const { keys = [], args } = shared(tag);
    const call = {
      script,
      keys: [...keys, ...items.map((item) => prefix + tag + idOf(item))],
      args: [...args, ...items.flatMap(argsOf)],
      isDurable,
    };
    return connection.run(tag, call, (reply): readonly unknown[] => {
      if (Array.isArray(reply) && reply.length === items.length) return reply;
      throw new CallFailed(BAD_REPLY, true, `the reply is not as expected: no array of ${items.length}`);
    });
  };

  const sendAll = async (tag: string): Promise<void> => {
    const batch = waiting.get(tag);
    if (!batch) return;
    waiting.delete(tag);
    try {
      const replies = await run(
        tag,
        batch.map(({ item }) => item),
      );
      for (const [index, { item, resolve, reject }] of batch.entries()) {
        try {
          const reply = check(replies[index]);
          if (reply[0] === 'error') throw callFailed(new ErrorReply(String(reply[1])));
          resolve(read(reply as Reply, item));
        } catch (error) {
          reject(error);
        }
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      const tag = connection.tagOf(idOf(item));
      const batch = waiting.get(tag);
      if (!batch) {
        waiting.set(tag, [{ item, resolve, reject }]);
        setImmediate(() => void sendAll(tag));
      } else if (batch.push({ item, resolve, reject }) === MOST_AT_ONCE) void sendAll(tag);
    });
};
