import { parseArgs } from 'node:util';
import {
  type Catalogue,
  checkCatalogue,
  InvalidDataError,
  digestsOnDisk,
  type Violation,
  violationText,
  readDataTexts,
  recordedFiles,
  releasesOf,
  shapedCatalogue,
} from '@workspace/release-catalogue';
import { hashPresentFiles } from '../digests.ts';
import { type CliContext, type Command, UsageError } from '../terminal.ts';

const OPTIONS = {
  data: { type: 'string' },
  json: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
  against: { type: 'string' },
  tarballs: { type: 'string' },
} as const;

export const validateCommand: Command = {
  summary: 'check a data folder against all rules',
  usage: `validate [options]
  --json                violations as one JSON document
  --all                 include accepted violations
  --against <folder>    the previous data: finds lost releases and unrecorded changes
  --tarballs <folder>   compare the digests with the files in this folder, too
  Exit code 0: no error, 1: errors, 2: wrong command line.`,
  options: Object.keys(OPTIONS),
  example: 'validate --data data --against previous',
  run: async (args, context) => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: OPTIONS,
    });
    if (positionals.length > 0) throw new UsageError(`"${positionals.join(' ')}" is not expected here.`);
    const report = await check(values.data ?? context.folder, values, context);
    const print = values.json ? printJson : printText;
    print(report, values.all, context);
    return report.valid ? 0 : 1;
  },
};

interface Report {
  readonly valid: boolean;
  /** absent when the shapes are wrong */
  readonly catalogue?: Catalogue;
  readonly violations: readonly Violation[];
}

interface Comparisons {
  readonly against?: string | undefined;
  readonly tarballs?: string | undefined;
}

const check = async (
  folder: string,
  { against, tarballs }: Comparisons,
  context: CliContext,
): Promise<Report> => {
  const { now, terminal } = context;
  try {
    const before = against === undefined ? undefined : shapedCatalogue(await readDataTexts(against));
    const catalogue = shapedCatalogue(await readDataTexts(folder));
    const violations = checkCatalogue(catalogue, { now, ...(before && { before }) });
    if (tarballs !== undefined) {
      const names = new Set(recordedFiles(catalogue).map(({ name }) => name));
      violations.push(...digestsOnDisk(catalogue, await hashPresentFiles(tarballs, names, terminal)));
    }
    return { valid: violations.every(({ severity }) => severity !== 'error'), catalogue, violations };
  } catch (error) {
    if (error instanceof InvalidDataError) return { valid: false, violations: error.violations };
    throw error;
  }
};

const counts = ({ branches, revision }: Catalogue) => ({
  revision: revision.toISOString(),
  branches: branches.length,
  releases: branches.flatMap(releasesOf).length,
  builds: branches.flatMap(({ pre_releases }) => pre_releases).filter(({ release }) => release.number > 0)
    .length,
});

const printJson = ({ valid, catalogue, violations }: Report, _all: boolean, { terminal }: CliContext): void =>
  terminal.out(JSON.stringify({ valid, ...(catalogue && counts(catalogue)), violations }, null, 2));

const printText = (
  { valid, catalogue, violations }: Report,
  all: boolean,
  { terminal }: CliContext,
): void => {
  const accepted = violations.filter((violation) => violation.accepted !== undefined);
  for (const violation of violations) {
    if (violation.accepted === undefined) terminal.out(`${violation.severity}: ${violationText(violation)}`);
    else if (all) terminal.out(`accepted: ${violationText(violation)}: ${violation.accepted}`);
  }
  if (accepted.length > 0 && !all) terminal.out(`${accepted.length} accepted violations (--all lists them)`);
  if (!catalogue || !valid) return terminal.out('The data is invalid.');
  const { releases, branches, builds, revision } = counts(catalogue);
  terminal.out(`valid: ${releases} releases in ${branches} branches, ${builds} builds, revision ${revision}`);
};
