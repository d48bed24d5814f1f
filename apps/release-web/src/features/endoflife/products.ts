import { type Catalogue, isoDate } from '@workspace/release-catalogue';
import { isSupported } from '../../domain/support-state.ts';
import { releasePath } from '../../domain/paths.ts';
import { type Cycle, listedCycles, productSlug } from './cycles.ts';
import type { EndoflifeDetails, EndoflifeRelease, EndoflifeSummary, EndoflifeUri } from './schemas.ts';

/** The only category here, which is a tag, too. */
export const CATEGORY = 'lang';

const nameUri = (name: string, uri: string): EndoflifeUri => ({ name, uri });

/** Where the product is in API v1. @param baseUrl public address, no slash at the end */
const productUri = (catalogue: Catalogue, baseUrl: string): EndoflifeUri => {
  const name = productSlug(catalogue);
  return nameUri(name, `${baseUrl}/api/v1/products/${name}`);
};

const identity = (catalogue: Catalogue) => ({
  name: productSlug(catalogue),
  aliases: [],
  label: catalogue.product.name,
  category: CATEGORY,
  tags: [CATEGORY],
});

/** A product in a list. */
export const summaryOf = (catalogue: Catalogue, baseUrl: string): EndoflifeSummary => ({
  ...identity(catalogue),
  uri: productUri(catalogue, baseUrl).uri,
});

/** All of a product. */
export const detailsOf = (catalogue: Catalogue, now: Date, baseUrl: string): EndoflifeDetails => {
  const { feed, identifiers = [], version_command = null, release_policy = null } = catalogue.product;
  return {
    ...identity(catalogue),
    versionCommand: version_command,
    identifiers: identifiers.map(({ type, id }) => ({ type, id })),
    labels: { eoas: 'Active Support', discontinued: null, eol: 'Security Support', eoes: null },
    links: { icon: feed.icon, html: `${baseUrl}/releases/`, releasePolicy: release_policy },
    releases: listedCycles(catalogue, now).map((cycle) => releaseOf(cycle, now, baseUrl)),
  };
};

const releaseOf = (
  { branch, latest, initialRelease, activeSupportEnd, securitySupportEnd }: Cycle,
  now: Date,
  baseUrl: string,
): EndoflifeRelease => ({
  name: branch.branch,
  codename: null,
  label: branch.branch,
  releaseDate: isoDate(initialRelease),
  isLts: false,
  ltsFrom: null,
  isEoas: activeSupportEnd ? now >= activeSupportEnd : !isSupported(branch, now),
  eoasFrom: activeSupportEnd && isoDate(activeSupportEnd),
  isEol: !isSupported(branch, now),
  eolFrom: securitySupportEnd && isoDate(securitySupportEnd),
  isMaintained: isSupported(branch, now),
  latest: { name: latest.version, date: latest.date, link: baseUrl + releasePath(latest) },
  custom: null,
});

/** The lists that API v1 begins with. */
export const indexOf = (baseUrl: string): EndoflifeUri[] =>
  ['products', 'categories', 'tags', 'identifiers'].map((name) => nameUri(name, `${baseUrl}/api/v1/${name}`));

/** The categories, or the tags: both have one. */
export const labelsOf = (path: string, baseUrl: string): EndoflifeUri[] => [
  nameUri(CATEGORY, `${baseUrl}${path}/${CATEGORY}`),
];

/** What types of identifiers there are. */
export const identifierTypes = ({ product }: Catalogue, path: string, baseUrl: string): EndoflifeUri[] =>
  [...new Set((product.identifiers ?? []).map(({ type }) => type))].map((type) =>
    nameUri(type, `${baseUrl}${path}/${type}`),
  );

/** The identifiers of one type, and whose they are; undefined for a type that has none. */
export const identifiersOf = (catalogue: Catalogue, type: string, baseUrl: string) => {
  const found = (catalogue.product.identifiers ?? []).filter((identifier) => identifier.type === type);
  return found.length === 0
    ? undefined
    : found.map(({ id }) => ({ identifier: id, product: productUri(catalogue, baseUrl) }));
};
