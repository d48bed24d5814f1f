/** An operation as a record holds it. */
export interface Operation {
  operation: 'buy' | 'sell';
  'unit-cost': number;
  quantity: number;
}

/**
 * Tax of each operation of one list. Weighted average cost; 20 % of the profit that is left after carried losses; a
 * sale of at most 20,000.00 in total pays nothing and uses no loss, but its own loss is carried.
 *
 * @throws RangeError for a kind of operation that it does not know: a guess would be a wrong tax
 */
export const taxesOf = (operations: readonly Operation[]): number[] => {
  let shares = 0;
  let average = 0;
  let loss = 0;
  return operations.map(({ operation, 'unit-cost': cost, quantity }) => {
    if (operation === 'buy') {
      average = (average * shares + cost * quantity) / (shares + quantity);
      shares += quantity;
      return 0;
    }
    // A service of a later version may write kinds that this type does not have.
    if (operation !== 'sell') throw new RangeError(`unknown kind of operation: ${String(operation)}`);
    shares -= quantity;
    const profit = (cost - average) * quantity;
    if (profit < 0) loss -= profit;
    if (profit <= 0 || cost * quantity <= 20_000) return 0;
    const used = Math.min(loss, profit);
    loss -= used;
    return Math.round((profit - used) * 20) / 100;
  });
};
