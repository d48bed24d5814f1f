import { type Network, networkOf } from '@workspace/ip-addresses';
import { ANONYMOUS_KINDS, KIND_NAMES, type KindName, LIST_KINDS, type ListKind } from './address-kinds.ts';
import { NetworkMap } from './network-map.ts';

/** Networks that are all of one kind. */
export interface KindList {
  readonly kind: ListKind;
  readonly networks: readonly Network[];
}

/** What is known of a network; what is left out is not. */
export type KnownKinds = Readonly<Partial<Record<KindName, boolean>>>;

/**
 * What lists say together, network by network, each with all that the networks around it have, and the larger networks first.
 * @param complete kinds whose lists have every such address, so that all others are known not to be of that kind
 */
export function* kindsOfLists(
  lists: readonly KindList[],
  complete: readonly ListKind[],
): Generator<[Network, KnownKinds]> {
  const recordOf = recordsOf(complete);
  const everywhere = recordOf(0);
  if (Object.keys(everywhere).length > 0) {
    for (const network of halves()) yield [network, everywhere];
  }
  const around = new NetworkMap<number>();
  for (const { network, mask } of networksOf(lists)) {
    const { family, bytes } = network;
    const all = mask | (around.find({ text: '', family, bytes })?.value ?? 0);
    around.add(network, all);
    yield [network, recordOf(all)];
  }
}

/** Each network once, with the kinds of all lists that have it; IPv6 first, which has IPv4 inside, and the largest first. */
const networksOf = (lists: readonly KindList[]): { network: Network; mask: number }[] => {
  const byText = new Map<string, { network: Network; mask: number }>();
  for (const { kind, networks } of lists) {
    for (const network of networks) {
      const text = networkOf({ text: '', family: network.family, bytes: network.bytes }, network.length);
      const known = byText.get(text);
      if (known) known.mask |= bitOf(kind);
      else byText.set(text, { network, mask: bitOf(kind) });
    }
  }
  return [...byText.values()].sort(
    (a, b) => b.network.family - a.network.family || a.network.length - b.network.length,
  );
};

const bitOf = (kind: ListKind): number => 1 << KIND_NAMES.indexOf(LIST_KINDS[kind]);

/** The record of each set of kinds, always the same object. */
const recordsOf = (complete: readonly ListKind[]) => {
  const records = new Map<number, KnownKinds>();
  return (mask: number): KnownKinds => {
    let record = records.get(mask);
    if (!record) records.set(mask, (record = knownKinds(mask, complete)));
    return record;
  };
};

const knownKinds = (mask: number, complete: readonly ListKind[]): KnownKinds => {
  const known: Partial<Record<KindName, boolean>> = {};
  const isListed = (kind: ListKind): boolean => (mask & bitOf(kind)) !== 0;
  if (ANONYMOUS_KINDS.some(isListed)) known.is_anonymous = true;
  else if (ANONYMOUS_KINDS.every((kind) => complete.includes(kind))) known.is_anonymous = false;
  for (const kind of Object.keys(LIST_KINDS) as ListKind[]) {
    if (isListed(kind)) known[LIST_KINDS[kind]] = true;
    else if (complete.includes(kind)) known[LIST_KINDS[kind]] = false;
  }
  return known;
};

/** All addresses of both families. */
const halves = (): Network[] =>
  ([6, 4] as const).flatMap((family) =>
    [0, 0x80].map((first) => {
      const bytes = new Uint8Array(family === 4 ? 4 : 16);
      bytes[0] = first;
      return { family, bytes, length: 1 };
    }),
  );
