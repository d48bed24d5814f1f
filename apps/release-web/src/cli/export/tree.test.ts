import { mkdir, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { servedInstead } from './render.ts';
import { Tree } from './tree.ts';

const BEFORE = new Date('2026-12-01T00:00:00Z');
const CHANGE = new Date('2026-12-31T00:00:00Z');
const FILES = ['site/a', 'at/20261231T000000Z/a', 'at/20270101T000000Z/a'];

describe('the time of an exported file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tree-'));
    for (const file of FILES) {
      const path = join(folder, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, file);
      await utimes(path, CHANGE, file.startsWith('at/') ? CHANGE : BEFORE);
    }
  });
  afterEach(() => rm(folder, { recursive: true }));

  it.each([
    ['is that of the facts before the change', '2026-12-30T23:59:59Z', 'new', '2026-12-31T00:00:00Z'],
    ['is later than that of what was served since', '2026-12-31T00:00:00Z', 'new', '2026-12-31T00:00:01Z'],
    ['stays when that is served on', '2026-12-31T12:00:00Z', FILES[1]!, '2026-12-31T00:00:00Z'],
    ['follows the newest of several', '2027-01-01T00:00:00Z', FILES[1]!, '2026-12-31T00:00:01Z'],
  ])('%s', async (_what, now, content, time) => {
    const tree = new Tree(folder, servedInstead(FILES, new Date(now)));
    // A correction from before the change, which is exported after it: the change is the newer of both.
    await tree.put('site/a', content, CHANGE);
    expect((await stat(join(folder, 'site/a'))).mtime).toEqual(new Date(time));
  });
});
