import type { Static, TSchema } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler, type ValueError } from '@sinclair/typebox/compiler';
import { AcceptedFindingsFile, BranchFile, NewsFile, ProductFile } from '../schemas/index.ts';
import type { Catalogue } from '../facts/catalogue.ts';
import { type Moment, type Violation, violationText } from '../rules/rule.ts';
import { checkCatalogue } from '../rules/check-catalogue.ts';
import { compareVersions } from '../facts/version.ts';
import { repeatedMembers } from './repeated-members.ts';

/** The files of a data folder by their path in it, `branches/8.4.json`. */
export type DataTexts = ReadonlyMap<string, string>;

/** The data cannot be served; `violations` says where and why. */
export class InvalidDataError extends Error {
  override readonly name = 'InvalidDataError';
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    super(violations.map(violationText).join('\n'));
    this.violations = violations;
  }
}

export interface LoadedCatalogue {
  readonly catalogue: Catalogue;
  /** what is worth knowing and does not keep the data from being served */
  readonly warnings: readonly Violation[];
}

const checks = {
  accepted: TypeCompiler.Compile(AcceptedFindingsFile),
  branch: TypeCompiler.Compile(BranchFile),
  news: TypeCompiler.Compile(NewsFile),
  product: TypeCompiler.Compile(ProductFile),
};

/**
 * Checks the texts of a data folder, first shapes, then rules, and freezes the result.
 * A writer checks the exact bytes it is about to write with it.
 * @throws InvalidDataError with every violation in every file
 */
export const readCatalogue = (texts: DataTexts, moment: Moment = {}): LoadedCatalogue => {
  const catalogue = shapedCatalogue(texts);
  const violations = checkCatalogue(catalogue, moment);
  const errors = violations.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new InvalidDataError(errors);
  return { catalogue, warnings: violations };
};

/**
 * The facts in the texts, checked for their shapes only.
 * @throws InvalidDataError with every violation in every file
 */
export const shapedCatalogue = (texts: DataTexts): Catalogue => {
  const violations: Violation[] = [];
  const read = <S extends TSchema>(file: string, check: TypeCheck<S>): Static<S> | undefined =>
    readText(file, texts.get(file), check, violations);

  const product = read('product.json', checks.product);
  const news = read('news.json', checks.news);
  const accepted = read('accepted-findings.json', checks.accepted);
  const branches = [...texts.keys()]
    .filter((file) => file.startsWith('branches/'))
    .flatMap((file) => {
      const branch = read(file, checks.branch);
      if (!branch) return [];
      const home = `branches/${branch.branch}.json`;
      if (file !== home) {
        violations.push(
          violation(file, '/branch', 'file-name', `is branch ${branch.branch}, which belongs in ${home}`),
        );
      }
      return [branch];
    });
  if (![...texts.keys()].some((file) => file.startsWith('branches/'))) {
    violations.push(violation('branches', '', 'file', 'has no branch files'));
  }
  if (violations.length > 0 || !product || !news || !accepted) throw new InvalidDataError(violations);
  return deepFreeze({
    product,
    branches: branches.sort((a, b) => compareVersions(a.branch, b.branch)),
    news: [...news.items].sort((a, b) => b.published.localeCompare(a.published)),
    newsUpdated: news.updated,
    accepted: accepted.accepted,
    revision: newestInstant([product, news, ...branches].map(({ updated }) => updated)),
  });
};

/** An instant that does not exist is left out: naming it is the business of the rules. */
const newestInstant = (instants: readonly string[]): Date =>
  new Date(Math.max(0, ...instants.map((text) => Date.parse(text)).filter((time) => !Number.isNaN(time))));

const readText = <S extends TSchema>(
  file: string,
  text: string | undefined,
  check: TypeCheck<S>,
  violations: Violation[],
): Static<S> | undefined => {
  if (text === undefined) {
    violations.push(violation(file, '', 'file', 'is missing'));
    return undefined;
  }
  let value: unknown;
  try {
    // Editors on Windows write a byte order mark.
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    violations.push(violation(file, '', 'json', (error as SyntaxError).message));
    return undefined;
  }
  const repeated = repeatedMembers(text, value);
  violations.push(
    ...repeated.map((pointer) => violation(file, pointer, 'json', 'this member occurs more than once')),
  );
  if (check.Check(value)) return value;
  for (const error of [...check.Errors(value)].flatMap(closest)) {
    violations.push(violation(file, error.path, 'shape', `${error.message}, found ${excerpt(error.value)}`));
  }
  return undefined;
};

/** What is wrong with a value that may be one of several things: the violations of the alternative it comes closest to. */
const closest = (error: ValueError): ValueError[] => {
  const [nearest] = error.errors
    .map((violations) => [...violations])
    .filter((violations) => violations.some(({ path }) => path !== error.path))
    .sort((a, b) => a.length - b.length);
  return nearest?.flatMap(closest) ?? [error];
};

const violation = (file: string, pointer: string, rule: string, detail: string): Violation => ({
  rule,
  severity: 'error',
  file,
  pointer,
  subject: file,
  detail,
});

const excerpt = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
};

const deepFreeze = <T>(value: T): T => {
  // A Date has its state outside its members and nothing to freeze.
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
};
