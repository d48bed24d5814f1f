import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shapedCatalogue } from '../files/read-catalogue.ts';
import { promote, type Promotion } from '../edits/promote.ts';
import { addPreRelease } from '../edits/add-pre-release.ts';
import type { BranchFile, NewsItem, Release, SourceFile } from '../schemas/index.ts';
import { tarballNames } from '../facts/tarball-name.ts';
import type { Catalogue } from '../facts/catalogue.ts';
import { RULES } from '../rules/check-catalogue.ts';
import type { Rule, Violation } from '../rules/rule.ts';

/** The Thursday after the newest facts of the frozen data. */
export const NOW = new Date('2026-08-27T09:00:00Z');

/**
 * The data of release-web on 2026-08-13, whole. Tests use it and not apps/release-web/data, because that changes with each
 * release that is published.
 */
export const FROZEN_FOLDER = join(import.meta.dirname, '../../fixtures/data');

/** The frozen data files. */
export const REAL_TEXTS: ReadonlyMap<string, string> = new Map(
  ['product.json', 'news.json', 'accepted-findings.json']
    .concat(readdirSync(join(FROZEN_FOLDER, 'branches')).map((name) => `branches/${name}`))
    .map((file) => [file, readFileSync(join(FROZEN_FOLDER, file), 'utf8')]),
);

/** The frozen data. */
export const REAL = shapedCatalogue(REAL_TEXTS);

/** A branch on record. */
export const branchIn = (catalogue: Catalogue, name: string): BranchFile =>
  catalogue.branches.find(({ branch }) => branch === name)!;

/** A catalogue edited by hand. */
export const edited = (edit: (draft: EditedData) => unknown, from: Catalogue = REAL): Catalogue => {
  const draft = new EditedData(from);
  edit(draft);
  return draft.catalogue;
};

/** A copy of a catalogue with handles to what tests change. */
export class EditedData {
  readonly catalogue: Catalogue & { branches: BranchFile[]; news: NewsItem[] };

  constructor(from: Catalogue) {
    this.catalogue = structuredClone(from) as EditedData['catalogue'];
  }

  branch(name: string): BranchFile {
    return branchIn(this.catalogue, name);
  }

  release(version: string): Release {
    return this.catalogue.branches
      .flatMap(({ current, history }) => (current ? [current, ...history] : history))
      .find((release) => release.version === version)!;
  }

  source(version: string, index = 0): SourceFile {
    return this.release(version).published.source[index] as SourceFile;
  }

  build(version: string) {
    return this.catalogue.branches
      .flatMap(({ pre_releases }) => pre_releases)
      .find((slot) => slot.version === version)!;
  }

  /** Publishes a release the way the command does. */
  promote(version: string, promotion: Partial<Promotion> = {}): void {
    this.put(
      promote(
        this.catalogue,
        {
          version,
          kind: 'bugfix',
          date: new Date('2026-08-27'),
          digests: digestsFor(this.catalogue, version),
          announced: true,
          ...promotion,
        },
        NOW,
      ),
    );
  }

  /** Publishes a build the way the command does. */
  addBuild(build: string, reason?: string): void {
    this.put(
      addPreRelease(
        this.catalogue,
        {
          build,
          date: new Date('2026-08-27'),
          digests: digestsFor(this.catalogue, build),
          newBranch: false,
          reason,
        },
        NOW,
      ),
    );
  }

  private put(branch: BranchFile): void {
    const index = this.catalogue.branches.findIndex((other) => other.branch === branch.branch);
    // Rules may be broken in place afterwards, so the copy shares nothing with the original.
    this.catalogue.branches[index] = structuredClone(branch);
  }
}

/** Digests no other file has, as if the archives had been hashed. */
const digestsFor = (catalogue: Catalogue, version: string): Map<string, string> =>
  new Map(
    tarballNames(catalogue.product, version).map((name) => [
      name,
      createHash('sha256').update(name).digest('hex'),
    ]),
  );

/** The part of a violation that is contract: the rest is prose. */
export const brief = ({ rule, severity, file, pointer, subject }: Violation) =>
  `${severity} ${rule} ${file}#${pointer} ${subject}`;

/** An edit by hand, what a rule finds in it that it did not find before, as `brief` puts it, and the data before; the frozen data unless given. */
export type RuleRow = readonly [
  title: string,
  edit: (data: EditedData) => unknown,
  finds?: string | readonly string[],
  from?: Catalogue,
];

/** A test for each row, with the clock at `NOW`. */
export const itFinds = (rule: Rule, rows: readonly RuleRow[]): void => {
  const [name] = Object.entries(RULES).find(([, other]) => other === rule)!;
  const find = (catalogue: Catalogue, before: Catalogue) =>
    [...rule(catalogue, { now: NOW, before })].map((finding) => ({ rule: name, ...finding }));
  for (const [title, edit, finds = [], from = REAL] of rows)
    it(`${name}: ${title}`, () => {
      const known = new Set(find(from, from).map(brief));
      const found = find(edited(edit, from), from);
      expect(found.filter(({ detail }) => !detail)).toEqual([]);
      expect(found.map(brief).filter((violation) => !known.has(violation))).toEqual([finds].flat());
    });
};
