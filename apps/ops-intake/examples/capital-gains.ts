/** An operation as a record holds it. */
export interface Operation {
  operation: 'buy' | 'sell';
  'unit-cost': number;
  quantity: number;
}

/**
 * Tax of each operation of one list. Weighted average cost; 20 % of the profit that is left after carried losses; a
 * sale of at most 20,000.00 in total pays nothing and uses no loss, but its own loss is carried.
 */
export function taxesOf(operations: readonly Operation[]): number[] {
  let shares = 0;
  let average = 0;
  let loss = 0;
  return operations.map(({ operation, 'unit-cost': cost, quantity }) => {
    if (operation === 'buy') {
      average = (average * shares + cost * quantity) / (shares + quantity);
      shares += quantity;
      return 0;
    }
    shares -= quantity;
    const profit = (cost - average) * quantity;
    if (profit < 0) loss -= profit;
    if (profit <= 0 || cost * quantity <= 20_000) return 0;
    const used = Math.min(loss, profit);
    loss -= used;
    return Math.round((profit - used) * 20) / 100;
  });
}
