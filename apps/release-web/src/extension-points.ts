import type { Catalogue } from '@workspace/release-catalogue';
import type { ProblemType } from '@workspace/service-kit/problems';
import type { Answers } from './http/rendering/answers.ts';
import type { PageLinks } from './http/site.ts';

/** An option as the core sees it. Each member is an extension point. */
export interface Option {
  /** name of its folder */
  readonly name: string;
  /** every problem that it adds to the catalogue, by code */
  readonly problems?: Readonly<Record<string, ProblemType>>;
  /** Describe: a tag of its routes for the API reference. */
  readonly tag?: { readonly name: string; readonly description: string };
  /** Routes: paths of its own, which answer from the data. */
  readonly routes: (answers: Answers) => void;
  /** Links: where it answers what pages of the core link to. */
  readonly links?: PageLinks;
  /** Export: those of its paths that have parameters, with each value, encoded. */
  readonly exportedPaths?: (catalogue: Catalogue) => readonly string[];
}
