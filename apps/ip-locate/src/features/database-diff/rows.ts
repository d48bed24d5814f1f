import { networkOf } from '@workspace/ip-addresses';
import { csvCell } from '../../http/lookup/formats/csv.ts';
import type { Facts } from '../../cli/data-option.ts';
import type { Difference } from './diff.ts';
import { addressOf } from './facts.ts';
import { textOf } from './totals.ts';

const COLUMNS = ['country', 'region', 'asn'] as const;

export const CSV_HEADER = `network,${['old', 'new'].flatMap((side) => [...COLUMNS, 'decision'].map((name) => `${side}_${name}`)).join()}`;

const networkText = ({ network: { bytes, length } }: Difference): string =>
  networkOf(addressOf(bytes), length);

/** A row of CSV (RFC 4180). Decisions are there where they differ. */
export const csvRow = (difference: Difference): string => {
  const { network, old, now } = difference;
  const cells = (
    [
      [network.old, old],
      [network.now, now],
    ] as const
  ).flatMap(([facts, decision]) => [
    ...COLUMNS.map((name) => facts[name]),
    decision ? textOf(decision) : null,
  ]);
  return [networkText(difference), ...cells].map((cell) => csvCell(cell)).join();
};

/** A line of JSON. */
export const jsonLine = (difference: Difference): string => {
  const { network, old, now } = difference;
  const side = ({ country, region, asn }: Facts, decision: Difference['old']) => ({
    country,
    region,
    asn,
    ...(decision && { decision: decision.outcome, reason: decision.reason }),
  });
  return JSON.stringify({
    network: networkText(difference),
    old: side(network.old, old),
    new: side(network.now, now),
  });
};
