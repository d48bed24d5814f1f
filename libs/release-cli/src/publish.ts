import { createTwoFilesPatch } from 'diff';
import {
  type BranchFile,
  buildVersion,
  type Catalogue,
  checkCatalogue,
  dataFileText,
  latestRelease,
  type NewsFile,
  type ProductFile,
  readCatalogue,
  readDataTexts,
  releasesOf,
  shapedCatalogue,
  type Violation,
  violationText,
  writeDataFile,
} from '@workspace/release-catalogue';
import { type CliContext, CommandRejected, type Terminal, UsageError } from './terminal.ts';

/** Options of every command that writes. */
export const WRITE_OPTIONS = {
  data: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
} as const;

export interface WriteValues {
  readonly data?: string | undefined;
  readonly 'dry-run': boolean;
  readonly yes: boolean;
}

/** What one edit replaces. */
export type DataFile = BranchFile | NewsFile | ProductFile;

/** The catalogue a command starts from, and how to write the edited one. */
export interface OpenData {
  readonly catalogue: Catalogue;
  /** Checks the new content of one file. @throws InvalidDataError when it breaks a rule */
  readonly check: (changed: DataFile) => void;
  /** Checks, shows, asks for confirmation and writes the new content of one file. */
  readonly publish: (changed: DataFile) => Promise<number>;
}

/**
 * Opens a data folder for one edit.
 * @throws InvalidDataError when files are unreadable or the data would be invalid after the edit: nothing is written then
 */
export const openData = async (values: WriteValues, context: CliContext): Promise<OpenData> => {
  const folder = values.data ?? context.folder;
  const { terminal, now } = context;
  const seen = await readDataTexts(folder);
  // A mistake on record is no obstacle to the edit that corrects it: only the result has to be valid.
  const before = shapedCatalogue(seen);
  const violations = checkCatalogue(before, { now });

  const checked = (changed: DataFile) => {
    const file = nameOf(changed);
    const text = dataFileText(changed);
    // The very bytes that will be written are checked.
    return {
      file,
      text,
      after: readCatalogue(new Map(seen).set(file, text), { now, before }),
    };
  };
  const publish = async (changed: DataFile): Promise<number> => {
    const { file, text, after } = checked(changed);
    newWarnings(violations, after.warnings).forEach((violation) =>
      terminal.note(`warning: ${violationText(violation)}`),
    );
    if ('branch' in changed) {
      clearedSlots(before, changed).forEach(terminal.note);
      const summary = summaryOf(before, changed);
      if (summary !== '') terminal.out(summary);
    }
    fileDiff(file, seen.get(file) ?? '', text, terminal.colour).forEach(terminal.out);
    if (!(await mayWrite(file, values, terminal))) return 0;
    await writeDataFile({ folder, file, text, seen }, context.files);
    terminal.note(`${file} written; revision ${after.catalogue.revision.toISOString()}`);
    return 0;
  };
  return { catalogue: before, check: checked, publish };
};

const nameOf = (file: DataFile): string => {
  if ('branch' in file) return `branches/${file.branch}.json`;
  return 'items' in file ? 'news.json' : 'product.json';
};

/**
 * Whether a command writes what it has shown: never on a dry run; otherwise with --yes, or when the user agrees.
 * @throws UsageError when there is no terminal to ask at; CommandRejected when the answer is no
 */
export const mayWrite = async (what: string, values: WriteValues, terminal: Terminal): Promise<boolean> => {
  if (values['dry-run']) {
    terminal.note('Dry run: nothing was written.');
    return false;
  }
  if (values.yes) return true;
  if (!terminal.confirm)
    throw new UsageError(
      'Cannot ask for confirmation here: add --yes to write, or --dry-run to see what would change.',
    );
  if (await terminal.confirm(`Write ${what}?`)) return true;
  throw new CommandRejected('Not confirmed.');
};

/** What readers of a branch get to see of an edit: releases and builds that come and go, and which one is the latest. */
const summaryOf = ({ branches }: Catalogue, changed: BranchFile): string => {
  const before = branches.find(({ branch }) => branch === changed.branch);
  const known = new Map((before ? releasesOf(before) : []).map((release) => [release.version, release]));
  const releases = releasesOf(changed);
  const [offered, offers] = [buildsOf(before), buildsOf(changed)];
  const latest = latestRelease(changed)?.version;
  const facts = [
    ...releases.filter(({ version }) => !known.has(version)).map(({ version }) => `${version} is released`),
    ...releases
      .filter(({ version, yanked }) => yanked && known.get(version)?.yanked === undefined)
      .map(({ version }) => `${version} is withdrawn`),
    ...offers.filter((build) => !offered.includes(build)).map((build) => `${build} is on offer`),
    ...offered.filter((build) => !offers.includes(build)).map((build) => `${build} is not on offer any more`),
    ...(latest === (before && latestRelease(before)?.version)
      ? []
      : [
          latest === undefined
            ? `no release of ${changed.branch} is left`
            : `the latest of ${changed.branch} becomes ${latest}`,
        ]),
  ];
  return facts.length === 0 ? '' : `${facts.join('; ')}.`;
};

const buildsOf = (branch: BranchFile | undefined): string[] =>
  (branch?.pre_releases ?? [])
    .filter(({ active, release }) => active && release.number > 0)
    .map((slot) => buildVersion(slot));

/** Published builds that an edit removes: people test them, so their removal is always reported. */
const clearedSlots = ({ branches }: Catalogue, changed: BranchFile): string[] => {
  const slots = branches.find(({ branch }) => branch === changed.branch)?.pre_releases ?? [];
  const kept = new Set(changed.pre_releases.map(({ version }) => version));
  return slots
    .filter(({ version, active, release }) => active && release.number > 0 && !kept.has(version))
    .map((slot) =>
      releasesOf(changed).some(({ version }) => version === slot.version)
        ? `the pre-release slot of ${slot.version} is cleared and ${buildVersion(slot)} retired`
        : `warning: ${slot.version} was never released; its pre-release slot is cleared and ${buildVersion(slot)} retired`,
    );
};

const newWarnings = (before: readonly Violation[], after: readonly Violation[]): Violation[] => {
  const known = new Set(before.map(({ rule, subject }) => `${rule} ${subject}`));
  return after.filter(({ rule, subject }) => !known.has(`${rule} ${subject}`));
};

const COLOURS: Record<string, string> = { '+': '\u001b[32m', '-': '\u001b[31m', '@': '\u001b[36m' };

/** The difference as a person reads it, lines with three around. */
const fileDiff = (file: string, before: string, after: string, colour: boolean): string[] =>
  createTwoFilesPatch(file, file, before, after, 'before', 'after', { context: 3, stripTrailingCr: true })
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const code = colour ? COLOURS[line.slice(0, 1)] : undefined;
      return code ? `${code}${line}\u001b[0m` : line;
    });
