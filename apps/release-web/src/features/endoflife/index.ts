import type { Catalogue } from '@workspace/release-catalogue';
import type { Option } from '../../extension-points.ts';
import { apiV1 } from './api-v1.ts';
import { productSlug } from './cycles.ts';
import { firstApi } from './first-api.ts';
import { endoflifeProblems as problems } from './product-route.ts';
import { CATEGORY, identifierTypes } from './products.ts';

/** Answers as endoflife.date does, for its clients. */
export const endoflife: Option = {
  name: 'endoflife',
  problems,
  tag: {
    name: 'endoflife.date',
    description: 'The same facts in the shapes of endoflife.date, for its clients.',
  },
  routes: (answers) => {
    apiV1(answers);
    firstApi(answers);
  },
  exportedPaths: (catalogue) => {
    const product = productSlug(catalogue);
    return [
      ...catalogue.branches.map(({ branch }) => `/api/${product}/${branch}.json`),
      `/api/${product}.json`,
      // With a slash at the end, too.
      ...v1Paths(catalogue).flatMap((path) => [path, `${path}/`]),
    ];
  },
};

const v1Paths = (catalogue: Catalogue): string[] => {
  const product = `/api/v1/products/${productSlug(catalogue)}`;
  return [
    product,
    ...['latest', ...catalogue.branches.map(({ branch }) => branch)].map(
      (name) => `${product}/releases/${name}`,
    ),
    ...['categories', 'tags'].map((label) => `/api/v1/${label}/${CATEGORY}`),
    ...identifierTypes(catalogue, '', '').map(({ name }) => `/api/v1/identifiers/${name}`),
  ];
};
