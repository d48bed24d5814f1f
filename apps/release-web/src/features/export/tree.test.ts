import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Tree } from './tree.ts';

describe('the time of an exported file', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'tree-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it.each([
    ['is that of the facts', 'new', '2026-12-31T00:00:00Z', '2026-12-31T00:00:00Z'],
    ['is later than that of other bytes', 'new', '2026-12-01T00:00:00Z', '2026-12-30T00:00:01Z'],
    ['stays that of the same bytes', 'old', '2026-12-31T00:00:00Z', '2026-12-30T00:00:00Z'],
  ])('%s', async (_what, content, modified, time) => {
    await new Tree(folder).put('site/a', 'old', new Date('2026-12-30T00:00:00Z'));
    await new Tree(folder).put('site/a', content, new Date(modified));
    expect((await stat(join(folder, 'site/a'))).mtime).toEqual(new Date(time));
  });
});
