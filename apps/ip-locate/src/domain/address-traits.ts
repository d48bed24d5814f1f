/**
 * What addresses are used for, by MaxMind's names (https://dev.maxmind.com/geoip/docs/databases/anonymous-ip/binary), which are
 * members of its entries and fields of ours; MaxMind has no `is_bot`.
 */
export const TRAIT_NAMES = [
  'is_anonymous',
  'is_anonymous_vpn',
  'is_hosting_provider',
  'is_public_proxy',
  'is_residential_proxy',
  'is_tor_exit_node',
  'is_anycast',
  'is_bot',
] as const;
export type TraitName = (typeof TRAIT_NAMES)[number];

/** Null means that the data does not say. */
export type AddressTraits = Readonly<Record<TraitName, boolean | null>>;

const traitsBy = (valueOf: (name: TraitName) => boolean | null): AddressTraits =>
  Object.fromEntries(TRAIT_NAMES.map((name) => [name, valueOf(name)])) as AddressTraits;

export const UNKNOWN_TRAITS: AddressTraits = Object.freeze(traitsBy(() => null));

/** What two sources say together: what one of them knows to be true is true, whatever the other lacks. */
export const mergedTraits = (one: AddressTraits, other: AddressTraits): AddressTraits =>
  traitsBy((name) => (one[name] === true || other[name] === true ? true : (one[name] ?? other[name])));
