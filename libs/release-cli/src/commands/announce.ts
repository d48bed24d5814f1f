import { parseArgs } from 'node:util';
import { branchOf } from '@workspace/release-catalogue';
import { onlyPositional } from '../arguments.ts';
import { post, readJson } from '../http-json.ts';
import { type Command, CommandRejected, UsageError } from '../terminal.ts';

/** The needed members of the site's JSON Feed. */
interface SiteFeed {
  readonly feed_url: string;
  readonly hubs?: readonly { readonly type: string; readonly url: string }[];
  readonly items: readonly { readonly _release?: { readonly version: string } }[];
}

export const announceCommand: Command = {
  summary: 'notify the WebSub hub of a site of what has changed',
  usage: `announce <site>
  <site> is the public address of release-web, like https://releases.example. Its feeds name the hub (WEBSUB_HUB).`,
  options: [],
  afterFailure: 'Some feeds may have been announced: run the command again.',
  example: 'announce https://releases.example',
  run: async (args, { terminal }) => {
    const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
    const site = onlyPositional(positionals, 'site').replace(/\/+$/, '');
    if (!isWebAddress(site)) {
      throw new UsageError(`The site must be an address like https://releases.example, not "${site}".`);
    }
    const feed = await siteFeed(`${site}/releases/feed.json`);
    const hub = feed.hubs?.find(({ type }) => type === 'WebSub')?.url;
    if (hub === undefined) {
      throw new CommandRejected(`The feeds of ${site} name no hub: set WEBSUB_HUB of the service.`);
    }
    for (const topic of topicsOf(feed)) {
      await notify(hub, topic);
      terminal.out(`${hub} was notified of ${topic}`);
    }
    return 0;
  },
};

const isWebAddress = (text: string): boolean => /^https?:\/\/\S+$/.test(text) && URL.canParse(text);

/** The changes, and the feeds of all releases and of the branches with a release in them, by their own addresses. */
const topicsOf = ({ feed_url, items }: SiteFeed): string[] => {
  const base = feed_url.slice(0, feed_url.lastIndexOf('/') + 1);
  const branches = items.flatMap(({ _release }) => (_release ? [branchOf(_release.version)] : []));
  return [
    new URL('../api/v1/changes', base).href,
    `${base}feed.php`,
    `${base}feed.json`,
    ...branches.flatMap((branch) => [`${base}${branch}/feed.atom`, `${base}${branch}/feed.json`]),
  ];
};

const siteFeed = async (url: string): Promise<SiteFeed> => {
  const feed = (await readJson(url)) as Partial<SiteFeed> | null;
  if (typeof feed?.feed_url === 'string' && Array.isArray(feed.items)) return feed as SiteFeed;
  throw new CommandRejected(`${url} is not a JSON Feed.`);
};

/** Publish notification (PubSubHubbub 0.4); WebSub leaves it to the hubs. */
const notify = (hub: string, topic: string): Promise<void> =>
  post(hub, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ 'hub.mode': 'publish', 'hub.topic': topic, 'hub.url': topic }).toString(),
  });
