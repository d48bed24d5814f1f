import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningService, startService } from './service.ts';
import { describeWith, pythonProgram, runTool } from '@workspace/testing';

/** What feedparser reads from a feed; it is strict about nothing but reports XML that is not well-formed. */
const FEEDPARSER = `
import feedparser, json, sys
feed = feedparser.parse(sys.argv[1])
print(json.dumps({
  'bozo': bool(feed.bozo), 'version': feed.version, 'title': feed.feed.title, 'id': feed.feed.id,
  'entries': [{
    'id': entry.id, 'title': entry.title, 'link': entry.link, 'version': entry.get('php_version'),
    'updated': list(entry.updated_parsed[:3]), 'summary': entry.summary,
    'enclosures': [[e.get('type'), e.href] for e in entry.get('enclosures', [])],
  } for entry in feed.entries],
}))`;

describeWith(['newsboat', 'python3'], 'the feed in the readers of this world', () => {
  let service: RunningService;
  let url: string;
  let branches: { branch: string; latest: string; state: string | null }[];
  beforeAll(async () => {
    service = await startService({ PUBLIC_BASE_URL: 'https://releases.example' });
    url = `${service.url}/releases/feed.php`;
    branches = (await (await fetch(`${service.url}/releases/branches.php`)).json()) as typeof branches;
  });
  afterAll(() => service.stop());

  const supported = () => branches.filter(({ state }) => state === 'stable' || state === 'security');

  it('is Atom 1.0 to feedparser, one entry for each supported branch', async () => {
    const feed = JSON.parse(
      await runTool(await pythonProgram('python', 'feedparser'), ['-c', FEEDPARSER, url]),
    );
    expect(feed).toMatchObject({ bozo: false, version: 'atom10', id: 'http://php.net/releases/index.php' });
    const releases = feed.entries.filter((entry: { version?: string }) => entry.version);
    expect(releases.map((entry: { version: string }) => entry.version).sort()).toEqual(
      supported()
        .map(({ latest }) => latest)
        .sort(),
    );
    for (const entry of releases) {
      expect(entry.id).toBe(`http://php.net/releases/${entry.version.replaceAll('.', '_')}.php`);
      expect(entry.title).toBe(`PHP ${entry.version} released!`);
      expect(entry.enclosures.map(([type]: string[]) => type).sort()).toEqual([
        'application/gzip',
        'application/x-bzip2',
        'application/x-xz',
      ]);
    }
    expect(new Set(feed.entries.map(({ id }: { id: string }) => id)).size).toBe(feed.entries.length);
    // Making the Python environment for the first time is part of it.
  });

  it('is read by newsboat', async () => {
    const home = await mkdtemp(join(tmpdir(), 'newsboat-'));
    try {
      await writeFile(join(home, 'urls'), `${url}\n`);
      await writeFile(join(home, 'config'), 'error-log "/dev/stderr"\n');
      const where = ['-u', join(home, 'urls'), '-c', join(home, 'cache.db'), '-C', join(home, 'config')];
      await runTool('newsboat', [...where, '-x', 'reload']);
      const unread = await runTool('newsboat', [...where, '-x', 'print-unread']);
      expect(Number.parseInt(unread, 10)).toBeGreaterThanOrEqual(supported().length);
    } finally {
      await rm(home, { recursive: true });
    }
  });
});
