import { type Network, networkOf } from '@workspace/ip-addresses';
import { TRAIT_NAMES, type TraitName } from '../../domain/address-traits.ts';
import { NetworkMap } from '../../domain/network-map.ts';

/** What a published list may be a list of, by the trait's name on a command line. */
export const LIST_TRAITS = {
  hosting: 'is_hosting_provider',
  vpn: 'is_anonymous_vpn',
  proxy: 'is_public_proxy',
  residential: 'is_residential_proxy',
  tor: 'is_tor_exit_node',
  anycast: 'is_anycast',
  bot: 'is_bot',
} as const satisfies Record<string, TraitName>;
export type ListTrait = keyof typeof LIST_TRAITS;

export const isListTrait = (text: string): text is ListTrait => Object.hasOwn(LIST_TRAITS, text);

/** The traits that MaxMind sums up as `is_anonymous`. */
export const ANONYMOUS_TRAITS: readonly ListTrait[] = ['hosting', 'vpn', 'proxy', 'residential', 'tor'];

/** Networks that are all of one trait. */
export interface TraitList {
  readonly trait: ListTrait;
  readonly networks: readonly Network[];
}

/** What is known of a network; what is left out is not. */
export type KnownTraits = Readonly<Partial<Record<TraitName, boolean>>>;

/**
 * What lists say together, network by network, each with all that the networks around it have, and the larger networks first.
 * @param complete traits whose lists have every such address, so that all others are known not to be of that trait
 */
export function* traitsOfLists(
  lists: readonly TraitList[],
  complete: readonly ListTrait[],
): Generator<[Network, KnownTraits]> {
  const entryOf = entriesOf(complete);
  const everywhere = entryOf(0);
  if (Object.keys(everywhere).length > 0) {
    for (const network of halves()) yield [network, everywhere];
  }
  const around = new NetworkMap<number>();
  for (const { network, mask } of networksOf(lists)) {
    const all = mask | (around.find(network)?.value ?? 0);
    around.add(network, all);
    yield [network, entryOf(all)];
  }
}

/** Each network once, with the traits of all lists that have it; IPv6 first, which has IPv4 inside, and the largest first. */
const networksOf = (lists: readonly TraitList[]): { network: Network; mask: number }[] => {
  const byText = new Map<string, { network: Network; mask: number }>();
  for (const { trait, networks } of lists) {
    for (const network of networks) {
      const text = networkOf(network, network.length);
      const known = byText.get(text);
      if (known) known.mask |= bitOf(trait);
      else byText.set(text, { network, mask: bitOf(trait) });
    }
  }
  return [...byText.values()].sort(
    (a, b) => b.network.family - a.network.family || a.network.length - b.network.length,
  );
};

const bitOf = (trait: ListTrait): number => 1 << TRAIT_NAMES.indexOf(LIST_TRAITS[trait]);

/** The entry of each set of traits, always the same object. */
const entriesOf = (complete: readonly ListTrait[]) => {
  const entries = new Map<number, KnownTraits>();
  return (mask: number): KnownTraits => {
    let entry = entries.get(mask);
    if (!entry) entries.set(mask, (entry = knownTraits(mask, complete)));
    return entry;
  };
};

const knownTraits = (mask: number, complete: readonly ListTrait[]): KnownTraits => {
  const known: Partial<Record<TraitName, boolean>> = {};
  const isListed = (trait: ListTrait): boolean => (mask & bitOf(trait)) !== 0;
  if (ANONYMOUS_TRAITS.some(isListed)) known.is_anonymous = true;
  else if (ANONYMOUS_TRAITS.every((trait) => complete.includes(trait))) known.is_anonymous = false;
  for (const trait of Object.keys(LIST_TRAITS) as ListTrait[]) {
    if (isListed(trait)) known[LIST_TRAITS[trait]] = true;
    else if (complete.includes(trait)) known[LIST_TRAITS[trait]] = false;
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
