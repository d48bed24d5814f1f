import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { releaseFolder } from './release-folder.ts';

const FIXTURE = join(__dirname, '../../../test/fixtures/data');
/** The first and the last file that are read, and one in between. */
const MARKED = ['product.json', 'branches/3.0.json', 'branches/8.6.json'];
const REVISIONS = ['2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z'] as const;

describe('a data folder behind a symbolic link', () => {
  const root = mkdtempSync(join(tmpdir(), 'release-folder-'));
  const link = join(root, 'current');
  afterAll(() => rmSync(root, { recursive: true }));

  /** Puts the link in another place in one step, as git-sync does. */
  const publish = (revision: string): void => {
    symlinkSync(revision, `${link}.new`);
    renameSync(`${link}.new`, link);
  };

  beforeAll(() => {
    for (const revision of REVISIONS) {
      cpSync(FIXTURE, join(root, revision), { recursive: true });
      for (const file of MARKED) {
        const path = join(root, revision, file);
        writeFileSync(
          path,
          readFileSync(path, 'utf8').replace(/"updated": "[^"]+"/, `"updated": "${revision}"`),
        );
      }
    }
    publish(REVISIONS[0]);
  });

  it('is read from one commit, however often the link moves meanwhile', async () => {
    const folder = releaseFolder(link);
    let turns = 0;
    let isReading = true;
    const seen = new Set<string>();
    const reading = (async () => {
      for (let loads = 0; loads < 30 || seen.size < REVISIONS.length; loads += 1) {
        const { product, branches } = (await folder.load({})).catalogue;
        const revisions = [product, branches[0]!, branches.at(-1)!].map(({ updated }) => updated);
        expect(new Set(revisions).size).toBe(1);
        seen.add(revisions[0]!);
      }
    })().finally(() => (isReading = false));
    while (isReading) {
      publish(REVISIONS[(turns += 1) % 2] as string);
      await new Promise(setImmediate);
    }
    await reading;
    expect([...seen].sort()).toEqual(REVISIONS);
    expect(turns).toBeGreaterThan(30);
  });
});
