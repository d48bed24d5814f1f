/**
 * What addresses are used for, by MaxMind's names (https://dev.maxmind.com/geoip/docs/databases/anonymous-ip/binary), which are
 * members of its records and fields of ours; MaxMind has no `is_bot`.
 */
export const KIND_NAMES = [
  'is_anonymous',
  'is_anonymous_vpn',
  'is_hosting_provider',
  'is_public_proxy',
  'is_residential_proxy',
  'is_tor_exit_node',
  'is_anycast',
  'is_bot',
] as const;
export type KindName = (typeof KIND_NAMES)[number];

/** Null means that the data does not say. */
export type AddressKinds = Readonly<Record<KindName, boolean | null>>;

const kindsBy = (valueOf: (name: KindName) => boolean | null): AddressKinds =>
  Object.fromEntries(KIND_NAMES.map((name) => [name, valueOf(name)])) as AddressKinds;

export const UNKNOWN_KINDS: AddressKinds = Object.freeze(kindsBy(() => null));

/** What two sources say together: what one of them knows to be true is true, whatever the other lacks. */
export const mergedKinds = (one: AddressKinds, other: AddressKinds): AddressKinds =>
  kindsBy((name) => (one[name] === true || other[name] === true ? true : (one[name] ?? other[name])));

/** What a published list may be a list of, by the kind's name on a command line. */
export const LIST_KINDS = {
  hosting: 'is_hosting_provider',
  vpn: 'is_anonymous_vpn',
  proxy: 'is_public_proxy',
  residential: 'is_residential_proxy',
  tor: 'is_tor_exit_node',
  anycast: 'is_anycast',
  bot: 'is_bot',
} as const satisfies Record<string, KindName>;
export type ListKind = keyof typeof LIST_KINDS;

export const isListKind = (text: string): text is ListKind => Object.hasOwn(LIST_KINDS, text);

/** The kinds that MaxMind sums up as `is_anonymous`. */
export const ANONYMOUS_KINDS: readonly ListKind[] = ['hosting', 'vpn', 'proxy', 'residential', 'tor'];
