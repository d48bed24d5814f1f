/**
 * The capital-gains challenge: realistic lists of operations whose taxes are known, so that a record that lost an
 * operation, its order or a digit gives another sum. [operation, unit cost as written, quantity].
 */
type FaultScenario = readonly ['buy' | 'sell', unitCost: string, quantity: number];

const case4: readonly FaultScenario[] = [
  ['buy', '10.00', 10000],
  ['buy', '25.00', 5000],
  ['sell', '15.00', 10000],
];
const case6: readonly FaultScenario[] = [
  ['buy', '10.00', 10000],
  ['sell', '2.00', 5000],
  ['sell', '20.00', 2000],
  ['sell', '20.00', 2000],
  ['sell', '25.00', 1000],
];

export interface CapitalGainsCase {
  rows: readonly FaultScenario[];
  /** Tax of each operation, in whole units. */
  taxes: readonly number[];
}

export const capitalGainsCases: readonly CapitalGainsCase[] = [
  {
    rows: [
      ['buy', '10.00', 100],
      ['sell', '15.00', 50],
      ['sell', '15.00', 50],
    ],
    taxes: [0, 0, 0],
  },
  {
    rows: [
      ['buy', '10.00', 10000],
      ['sell', '20.00', 5000],
      ['sell', '5.00', 5000],
    ],
    taxes: [0, 10000, 0],
  },
  {
    rows: [
      ['buy', '10.00', 10000],
      ['sell', '5.00', 5000],
      ['sell', '20.00', 3000],
    ],
    taxes: [0, 0, 1000],
  },
  { rows: case4, taxes: [0, 0, 0] },
  { rows: [...case4, ['sell', '25.00', 5000]], taxes: [0, 0, 0, 10000] },
  { rows: case6, taxes: [0, 0, 0, 0, 3000] },
  {
    rows: [
      ...case6,
      ['buy', '20.00', 10000],
      ['sell', '15.00', 5000],
      ['sell', '30.00', 4350],
      ['sell', '30.00', 650],
    ],
    taxes: [0, 0, 0, 0, 3000, 0, 0, 3700, 0],
  },
  {
    rows: [
      ['buy', '10.00', 10000],
      ['sell', '50.00', 10000],
      ['buy', '20.00', 10000],
      ['sell', '50.00', 10000],
    ],
    taxes: [0, 80000, 0, 60000],
  },
  {
    rows: [
      ['buy', '5000.00', 10],
      ['sell', '4000.00', 5],
      ['buy', '15000.00', 5],
      ['buy', '4000.00', 2],
      ['buy', '23000.00', 2],
      ['sell', '20000.00', 1],
      ['sell', '12000.00', 10],
      ['sell', '15000.00', 3],
    ],
    taxes: [0, 0, 0, 0, 0, 0, 1000, 2400],
  },
];

/** The body of a case as a client would post it, unit costs as written in the table. */
export const bodyOf = (rows: readonly FaultScenario[]): string =>
  `[${rows.map(([operation, cost, quantity]) => operationText(operation, cost, String(quantity))).join(',')}]`;

export const operationText = (operation: string, unitCost: string, quantity: string): string =>
  `{"operation":"${operation}","unit-cost":${unitCost},"quantity":${quantity}}`;
