import { ErrorReply } from 'redis';
import { inBatches } from './batches.ts';
import { callFailed } from './redis-client.ts';

/** For what is written or read without waiting, because its loss would do no harm. */
export const AT_ONCE = { isDurable: false } as const;
export const DURABLY = { isDurable: true } as const;

/** Runs a script for several keys at once. @throws CallFailed what is said of one key is thrown for that one alone */
export const eachKey = <Item, Reply extends readonly unknown[]>(
  run: (items: readonly Item[]) => Promise<readonly Reply[]>,
): ((item: Item) => Promise<Reply>) => {
  const together = inBatches(run);
  return async (item) => {
    const reply = await together(item);
    if (reply[0] === 'error') throw callFailed(new ErrorReply(String(reply[1])));
    return reply;
  };
};
