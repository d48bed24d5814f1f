import { ErrorReply } from 'redis';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { checkedBy } from '../checked-reply.ts';
import { inBatches } from './batches.ts';
import { callFailed } from './redis-client.ts';

/** Milliseconds since 1970, as scripts write them. */
export const Time = Type.String({ pattern: '^\\d{1,15}(\\.\\d+)?$' });
export const Flag = Type.Union([Type.Literal('0'), Type.Literal('1')]);
const Failed = Type.Tuple([Type.Literal('error'), Type.String()]);
export const Settled = Type.Tuple([Type.Union([Type.Literal('settled'), Type.Literal('other')])]);

/** Checks what a script says of one key, or why it failed for that one. */
export const keyReply = <Schema extends TSchema>(schema: Schema) => checkedBy(Type.Union([Failed, schema]));

/** For what is written or read without waiting, because its loss would do no harm. */
export const NOT_DURABLY = { isDurable: false } as const;
export const DURABLY = { isDurable: true } as const;

/**
 * Runs a script for several keys at once. @throws CallFailed what is said of one key is thrown for that one alone
 *
 * @param check of `keyReply`
 * @param read what the script says of a key
 */
export const eachKey = <Item, Reply extends readonly [string, ...unknown[]], Result>(
  run: (items: readonly Item[]) => Promise<readonly unknown[]>,
  check: (reply: unknown) => Reply | Static<typeof Failed>,
  read: (reply: Reply, item: Item) => Result,
): ((item: Item) => Promise<Result>) =>
  inBatches(run, (reply, item) => {
    const checked = check(reply);
    if (checked[0] === 'error') throw callFailed(new ErrorReply(String(checked[1])));
    return read(checked as Reply, item);
  });

/** For scripts of which only counts that they were run. */
export const nothing = (): void => undefined;
