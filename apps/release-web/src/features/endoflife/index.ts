import type { Catalogue } from '@workspace/release-catalogue';
import type { Option } from '../../extension-points.ts';
import {
  endoflifeFullProducts,
  endoflifeIdentifiers,
  endoflifeIndex,
  endoflifeLabels,
  endoflifeProduct,
  endoflifeProducts,
  endoflifeRelease,
} from './api-v1.ts';
import { productSlug } from './cycles.ts';
import { endoflifeCycle, endoflifeCycles, endoflifeProductNames } from './first-api.ts';
import { endoflifeProblems as problems } from './problems.ts';
import { CATEGORY, identifierTypes } from './products.ts';

/** Answers as endoflife.date does, for its clients. */
export const endoflife: Option = {
  name: 'endoflife',
  problems,
  tag: {
    name: 'endoflife.date',
    description: 'The same facts in the shapes of endoflife.date, for its clients.',
  },
  routes: (app, answers) => {
    endoflifeIndex(app, '/api/v1', answers);
    endoflifeProducts(app, '/api/v1/products', answers);
    endoflifeFullProducts(app, '/api/v1/products/full', answers);
    endoflifeProduct(app, '/api/v1/products/:product', answers);
    endoflifeRelease(app, '/api/v1/products/:product/releases/:release', answers);
    endoflifeLabels(app, '/api/v1/categories', answers);
    endoflifeLabels(app, '/api/v1/tags', answers);
    endoflifeIdentifiers(app, '/api/v1/identifiers', answers);
    endoflifeProductNames(app, '/api/all.json', answers);
    endoflifeCycles(app, '/api/:product(^[a-z0-9-]+).json', answers);
    endoflifeCycle(app, '/api/:product/:branch(^\\d+\\.\\d+).json', answers);
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
