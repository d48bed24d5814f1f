/** The server does nothing else while a script runs: half a millisecond for so many keys. */
const MOST_AT_ONCE = 64;

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Sends together what is asked for in one iteration of the event loop: a command costs more than what it does for one key.
 *
 * @param send answers each item, in their order; what it throws meets all of them
 * @param read what the reply to an item says; what it throws meets that item alone
 */
export const inBatches = <Item, Reply, Result>(
  send: (items: readonly Item[]) => Promise<readonly Reply[]>,
  read: (reply: Reply, item: Item) => Result,
): ((item: Item) => Promise<Result>) => {
  let waiting: Waiting<Item, Result>[] = [];
  const sendAll = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    let replies: readonly Reply[];
    try {
      replies = await send(batch.map(({ item }) => item));
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const [index, { item, resolve, reject }] of batch.entries()) {
      try {
        resolve(read(replies[index]!, item));
      } catch (error) {
        reject(error);
      }
    }
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (waiting.length === 1) setImmediate(() => void sendAll());
      else if (waiting.length === MOST_AT_ONCE) void sendAll();
    });
};
