import { ErrorReply } from 'redis';
import { inBatches } from './batches.ts';
import { callFailed } from './redis-client.ts';

/** For what is written or read without waiting, because its loss would do no harm. */
export const AT_ONCE = { isDurable: false } as const;
export const DURABLY = { isDurable: true } as const;

/**
 * Runs a script for several keys at once. @throws CallFailed what is said of one key is thrown for that one alone
 *
 * @param read what the script says of a key
 */
export const eachKey = <Item, Reply extends readonly unknown[], Result>(
  run: (items: readonly Item[]) => Promise<readonly Reply[]>,
  read: (reply: Reply, item: Item) => Result,
): ((item: Item) => Promise<Result>) =>
  inBatches(run, (reply, item) => {
    if (reply[0] === 'error') throw callFailed(new ErrorReply(String(reply[1])));
    return read(reply, item);
  });

/** For scripts of which only counts that they were run. */
export const nothing = (): void => undefined;
