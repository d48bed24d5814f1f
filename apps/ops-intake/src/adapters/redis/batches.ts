/** The server does nothing else while a script runs: half a millisecond for so many keys. */
const MOST_AT_ONCE = 64;

interface Waiting<Item, Reply> {
  readonly item: Item;
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}

/**
 * Sends together what is asked for in one turn of the event loop: a command costs more than what it does for one key.
 *
 * @param send answers each item, in their order; what it throws meets all of them
 */
export const inBatches = <Item, Reply>(
  send: (items: readonly Item[]) => Promise<readonly Reply[]>,
): ((item: Item) => Promise<Reply>) => {
  let waiting: Waiting<Item, Reply>[] = [];
  const sendAll = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      const replies = await send(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(replies[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (waiting.length === 1) setImmediate(() => void sendAll());
      else if (waiting.length === MOST_AT_ONCE) void sendAll();
    });
};
