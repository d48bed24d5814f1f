import type { Catalogue } from '../facts/catalogue.ts';
import { locatedBranches, error, type LocatedText } from './location.ts';
import type { Rule } from './rule.ts';

/** A writer's clock may be a little fast. */
const TOLERANCE_MS = 24 * 60 * 60 * 1000;

/**
 * No file and no piece of news is dated ahead of the clock: an `updated` of next year would make every copy look fresh
 * until then.
 */
export const revisionAhead: Rule = (catalogue, { now }) =>
  recordedInstants(catalogue)
    .filter(({ text }) => now && Date.parse(text) > now.getTime() + TOLERANCE_MS)
    .map((location) =>
      error(
        'revision-ahead',
        location,
        `${location.file} ${location.text}`,
        `${location.file} says ${location.text}, which is still to come`,
      ),
    );

/** The instants at which files changed and news came out. */
export const recordedInstants = (catalogue: Catalogue): LocatedText[] => [
  { file: 'product.json', pointer: '/updated', text: catalogue.product.updated },
  { file: 'news.json', pointer: '/updated', text: catalogue.newsUpdated },
  ...catalogue.news.flatMap(({ published, updated }) =>
    // The catalogue keeps news in another order than the file.
    [published, updated].map((text) => ({ file: 'news.json', pointer: '/items', text })),
  ),
  ...locatedBranches(catalogue).map(({ file, branch }) => ({
    file,
    pointer: '/updated',
    text: branch.updated,
  })),
];
