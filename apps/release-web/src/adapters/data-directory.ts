import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Static, TSchema } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { AcceptedFindingsFile, BranchFile, NewsFile, ProjectFile } from '../data/index.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import { type Finding, findingText } from '../domain/finding.ts';
import { checkCatalogue } from '../domain/rules/check-catalogue.ts';
import { compareVersions } from '../domain/version.ts';

/** The data cannot be served; `findings` says where and why, errors first. */
export class DataFault extends Error {
  override readonly name = 'DataFault';
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    super(findings.map(findingText).join('\n'));
    this.findings = findings;
  }
}

export interface LoadedCatalogue {
  readonly catalogue: Catalogue;
  /** what is worth knowing and does not keep the data from being served */
  readonly warnings: readonly Finding[];
}

const checks = {
  accepted: TypeCompiler.Compile(AcceptedFindingsFile),
  branch: TypeCompiler.Compile(BranchFile),
  news: TypeCompiler.Compile(NewsFile),
  project: TypeCompiler.Compile(ProjectFile),
};

/**
 * Reads a data folder whole, judges shapes and rules, and freezes it.
 * @param now lets the rules about new entries judge; a service leaves it out: data that was good stays good
 * @throws DataFault naming every file and fault
 */
export const loadDataDirectory = async (folder: string, now?: Date): Promise<LoadedCatalogue> => {
  const faults: Finding[] = [];
  const read = <S extends TSchema>(file: string, check: TypeCheck<S>): Promise<Static<S> | undefined> =>
    readDataFile(folder, file, check, faults);

  const project = await read('project.json', checks.project);
  const news = await read('news.json', checks.news);
  const accepted = await read('accepted-findings.json', checks.accepted);
  const branches: BranchFile[] = [];
  for (const file of await branchFiles(folder, faults)) {
    const branch = await read(file, checks.branch);
    if (branch && file !== `branches/${branch.branch}.json`) {
      faults.push(
        fault(
          file,
          '/branch',
          'file-name',
          `is branch ${branch.branch}, which belongs in branches/${branch.branch}.json`,
        ),
      );
    }
    if (branch) branches.push(branch);
  }
  if (faults.length > 0 || !project || !news || !accepted) throw new DataFault(faults);

  const catalogue: Catalogue = deepFreeze({
    project,
    branches: branches.sort((a, b) => compareVersions(a.branch, b.branch)),
    news: [...news.items].sort((a, b) => b.published.localeCompare(a.published)),
    accepted: accepted.accepted,
    revision: new Date(Math.max(...[project, news, ...branches].map(({ updated }) => Date.parse(updated)))),
  });
  const findings = checkCatalogue(catalogue, now);
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new DataFault(errors);
  return { catalogue, warnings: findings };
};

const branchFiles = async (folder: string, faults: Finding[]): Promise<string[]> => {
  try {
    const names = (await readdir(join(folder, 'branches'))).filter((name) => name.endsWith('.json'));
    if (names.length === 0) faults.push(fault('branches', '', 'file', 'holds no branch'));
    return names.sort().map((name) => `branches/${name}`);
  } catch (error) {
    faults.push(fault('branches', '', 'file', `cannot be read: ${(error as Error).message}`));
    return [];
  }
};

const readDataFile = async <S extends TSchema>(
  folder: string,
  file: string,
  check: TypeCheck<S>,
  faults: Finding[],
): Promise<Static<S> | undefined> => {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(join(folder, file), 'utf8'));
  } catch (error) {
    const rule = error instanceof SyntaxError ? 'json' : 'file';
    faults.push(fault(file, '', rule, (error as Error).message));
    return undefined;
  }
  if (check.Check(value)) return value;
  for (const error of check.Errors(value)) {
    faults.push(fault(file, error.path, 'shape', `${error.message}, found ${excerpt(error.value)}`));
  }
  return undefined;
};

const fault = (file: string, pointer: string, rule: string, detail: string): Finding => ({
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
