import { networkOf } from '@workspace/ip-addresses';
import { csvCell } from '../../http/lookup/formats/csv.ts';
import type { ComparedNetwork } from './compare.ts';
import type { Decisions } from './rules.ts';
import { textOf } from './totals.ts';

const MEMBERS = ['country', 'region', 'asn'] as const;

export const CSV_HEADER = [
  'network',
  ...['old', 'new'].flatMap((side) => [...MEMBERS, 'decision'].map((name) => `${side}_${name}`)),
].join();

/** A row of CSV (RFC 4180). Decisions are there where they differ. */
export const csvRow = (network: ComparedNetwork, decisions?: Decisions): string => {
  const cells = (['old', 'now'] as const).flatMap((side) => [
    ...MEMBERS.map((name) => network[side][name]),
    decisions ? textOf(decisions[side]) : null,
  ]);
  return [networkOf(network, network.length), ...cells].map(csvCell).join();
};

/** A line of JSON. */
export const jsonLine = (network: ComparedNetwork, decisions?: Decisions): string => {
  const [old, now] = (['old', 'now'] as const).map((side) => {
    const { country, region, asn } = network[side];
    const { outcome: decision, reason } = decisions?.[side] ?? {};
    return { country, region, asn, decision, reason };
  });
  return JSON.stringify({ network: networkOf(network, network.length), old, new: now });
};
