import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  addNews,
  type BranchFile,
  type Catalogue,
  correct,
  dataFileText,
  type NewsFile,
  promote,
  readCatalogue,
  readDataTexts,
  setSupport,
  tarballNames,
  yank,
} from '@workspace/release-catalogue';
import Parser from 'rss-parser';
import { copyOfFixture, type TestService, testService } from './service.ts';

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly published: string;
  readonly updated: string;
}
interface Poll {
  readonly updated: string;
  readonly entries: readonly Entry[];
}
/** What a reader shows of a poll; it remembers what it has seen. */
type Reader = (poll: Poll) => readonly Entry[] | Promise<readonly Entry[]>;

/** Home Assistant, feedreader/coordinator.py: of the first 20 entries those updated later than the newest one seen. */
const homeAssistant = (): Reader => {
  let last = '';
  return ({ entries }) => {
    const shown = entries.slice(0, 20).filter(({ updated }) => updated > last);
    last = [last, ...shown.map(({ updated }) => updated)].sort().at(-1)!;
    return shown;
  };
};

/** n8n, RssFeedReadTrigger.node.ts: entries published later than the newest one of the poll before. */
const n8n = (): Reader => {
  let last = '';
  return ({ entries }) => {
    const shown = entries.filter(({ published }) => published > last);
    last = entries
      .map(({ published }) => published)
      .sort()
      .at(-1)!;
    return shown;
  };
};

/** feedsub.ts: nothing while the feed's date stays; then from the top, in falling order, up to the first entry that it knows. */
const feedsub = (): Reader => {
  let lastDate = '';
  const known = new Set<string>();
  const keyOf = ({ title, published, updated }: Entry) => [title, published, updated].join();
  return ({ updated, entries }) => {
    if (updated === lastDate) return [];
    lastDate = updated;
    const next = entries.find(({ published }) => published !== entries[0]!.published);
    if (next && next.published > entries[0]!.published) return [];
    const end = entries.findIndex((entry) => known.has(keyOf(entry)));
    entries.forEach((entry) => known.add(keyOf(entry)));
    return end === -1 ? entries : entries.slice(0, end);
  };
};

const pollAtom = async ({ app }: TestService, url: string): Promise<Poll> => {
  const xml = (await app.inject(url)).body;
  const parser = new Parser<{ updated: string }, { id: string; published: string; updated: string }>({
    customFields: { feed: ['updated'], item: ['published', 'updated'] },
  });
  const feed = await parser.parseString(xml);
  return {
    updated: feed.updated,
    entries: feed.items.map(({ id, title, published, updated }) => ({
      id,
      title: title!,
      published,
      updated,
    })),
  };
};

const pollJson = async ({ app }: TestService, url: string): Promise<Poll> => {
  const entries = (await app.inject(url))
    .json()
    .items.map(
      ({ id, title, date_published, date_modified }: Record<string, string>) =>
        ({ id, title, published: date_published, updated: date_modified }) as Entry,
    );
  return {
    updated: entries
      .map(({ updated }: Entry) => updated)
      .sort()
      .at(-1),
    entries,
  };
};

const MORNING = '2026-11-26T10:00:00Z';
const release =
  (version: string, more: object = {}) =>
  (catalogue: Catalogue, now: Date) =>
    promote(
      catalogue,
      {
        version,
        kind: 'bugfix',
        date: new Date('2026-11-26'),
        announced: true,
        digests: new Map(
          tarballNames(catalogue.product, version).map((name) => [
            name,
            createHash('sha256').update(name).digest('hex'),
          ]),
        ),
        ...more,
      },
      now,
    );
const withdraw = (version: string) => (catalogue: Catalogue, now: Date) =>
  yank(catalogue, { version, date: new Date('2026-11-26'), reason: 'broken' }, now);
const news = {
  title: 'News',
  link: 'https://www.php.net/',
  summary: 'News.',
  categories: [],
  replace: false,
};

/** One day of publications: some at the same second, one with a clock that is an hour slow. */
const STEPS: readonly {
  readonly does: (catalogue: Catalogue, now: Date) => BranchFile | NewsFile;
  readonly at?: string;
  readonly branch?: string;
  readonly shows: string;
}[] = [
  { does: release('8.5.10', { announced: false }), branch: '8.5', shows: 'PHP 8.5.10 released!' },
  {
    does: release('8.4.25', { kind: 'security', fixes: ['CVE-2026-12345'] }),
    branch: '8.4',
    shows: 'PHP 8.4.25 released!',
  },
  { does: (catalogue, now) => addNews(catalogue, news, now), shows: 'News' },
  { does: withdraw('8.4.25'), branch: '8.4', shows: 'PHP 8.4.25 was withdrawn', at: '2026-11-26T09:00:00Z' },
  { does: release('8.5.11', { date: new Date('2026-11-27') }), branch: '8.5', shows: 'PHP 8.5.11 released!' },
  {
    does: (catalogue, now) =>
      correct(
        catalogue,
        {
          version: '8.5.10',
          reason: 'it has no page',
          members: [{ pointer: '/published/museum', value: true }],
        },
        now,
      ),
    branch: '8.5',
    shows: 'PHP 8.5.10 was corrected',
  },
  { does: withdraw('8.5.11'), branch: '8.5', shows: 'PHP 8.5.11 was withdrawn' },
  { does: withdraw('8.6.0beta1'), branch: '8.6', shows: 'PHP 8.6.0beta1 was withdrawn' },
  {
    does: (catalogue, now) =>
      setSupport(catalogue, { branch: '8.2', security: new Date('2027-06-30'), reason: 'a vote' }, now),
    branch: '8.2',
    shows: 'Support of PHP 8.2 was changed',
  },
];

describe('a reader that polls after each publication', () => {
  let service: TestService;
  let folder: string;
  const publish = async (does: (typeof STEPS)[number]['does'], at = MORNING) => {
    const texts = await readDataTexts(folder);
    const now = new Date(at);
    const { catalogue } = readCatalogue(texts, { now });
    const file = does(catalogue, now);
    const name = 'branch' in file ? `branches/${file.branch}.json` : 'news.json';
    await writeFile(join(folder, name), dataFileText(file));
    await service.watcher.check(true);
    expect(service.watcher.status().violations).toEqual([]);
  };
  beforeAll(async () => {
    folder = await copyOfFixture();
    service = await testService({}, { folder, start: '2026-11-26T12:00:00Z' });
  });

  it('is shown each of them, by the rules of Home Assistant, n8n and feedsub, in each feed', async () => {
    const feeds = [
      { url: '/releases/feed.php', poll: pollAtom },
      { url: '/releases/feed.json', poll: pollJson },
      { url: '/releases/8.4/feed.atom', poll: pollAtom, branch: '8.4' },
      { url: '/releases/8.5/feed.json', poll: pollJson, branch: '8.5' },
    ].map((feed) => ({
      ...feed,
      readers: { homeAssistant: homeAssistant(), n8n: n8n(), feedsub: feedsub() },
      last: undefined as Poll | undefined,
      ids: new Map<string, string>(),
    }));
    let modified = '';
    for (const step of [undefined, ...STEPS]) {
      if (step) await publish(step.does, step.at);
      for (const feed of feeds) {
        const poll = await feed.poll(service, feed.url);
        const isConcerned = step && (feed.branch === undefined || feed.branch === step.branch);
        for (const [name, reader] of Object.entries(feed.readers)) {
          const shown = (await reader(poll)).map(({ title }) => title);
          // Home Assistant shows a corrected entry again.
          const expected = isConcerned ? [step.shows] : [];
          if (step) expect([feed.url, name, shown.slice(0, 1)]).toEqual([feed.url, name, expected]);
        }
        const published = poll.entries.map((entry) => entry.published);
        expect(published).toEqual([...published].sort().reverse());
        for (const { id, title } of poll.entries) {
          expect([title, feed.ids.get(title) ?? id]).toEqual([title, id]);
          feed.ids.set(title, id);
        }
        if (isConcerned) expect(poll.updated > feed.last!.updated).toBe(true);
        feed.last = poll;
      }
      const { headers } = await service.app.inject('/releases/feed.php');
      const seen = new Date(headers['last-modified']!).toISOString();
      if (step) expect(seen > modified).toBe(true);
      modified = seen;
    }
    expect(feeds[0]!.ids.get('PHP 8.5.10 released!')).toBe('https://qa.php.net/#8.5.10');
    expect(feeds[3]!.ids.get('PHP 8.5.10 released!')).toBe('https://qa.php.net/#8.5.10');
    const [newest] = feeds[0]!.last!.entries;
    expect(newest!.id).toMatch(/^tag:php\.net,2026:changes\/8\.2\/2026-11-26T10:00:0\dZ$/);
  });
});
