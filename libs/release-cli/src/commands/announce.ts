import { parseArgs } from 'node:util';
import { branchOf } from '@workspace/release-catalogue';
import { onlyPositional } from '../arguments.ts';
import { type Command, CommandRejected, UsageError } from '../terminal.ts';

const TIMEOUT_MS = 30_000;

/** The needed members of the site's JSON Feed. */
interface SiteFeed {
  readonly feed_url: string;
  readonly hubs?: readonly { readonly type: string; readonly url: string }[];
  readonly items: readonly { readonly _release?: { readonly version: string } }[];
}

export const announceCommand: Command = {
  summary:
    'notify the WebSub hub of a site that its feeds have changed, so that it notifies their subscribers',
  usage: `announce <site>
  <site> is the public address of release-web, like https://releases.example. Its feeds name the hub (WEBSUB_HUB).`,
  options: ['data'],
  example: 'announce https://releases.example',
  run: async (args, { terminal }) => {
    const { positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { data: { type: 'string' } },
    });
    const site = onlyPositional(positionals, 'site').replace(/\/+$/, '');
    if (!/^https?:\/\/\S+$/.test(site) || !URL.canParse(site)) {
      throw new UsageError(`The site is an address like https://releases.example, not "${site}".`);
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

/** The feeds of all releases and of the branches with a release in them, by their own addresses. */
const topicsOf = ({ feed_url, items }: SiteFeed): string[] => {
  const base = feed_url.slice(0, feed_url.lastIndexOf('/') + 1);
  const branches = items.flatMap(({ _release }) => (_release ? [branchOf(_release.version)] : []));
  return [
    `${base}feed.php`,
    `${base}feed.json`,
    ...branches.flatMap((branch) => [`${base}${branch}/feed.atom`, `${base}${branch}/feed.json`]),
  ];
};

const siteFeed = async (url: string): Promise<SiteFeed> => {
  const answer = await request(url);
  const feed = (await answer.json().catch(() => null)) as Partial<SiteFeed> | null;
  if (typeof feed?.feed_url === 'string' && Array.isArray(feed.items)) return feed as SiteFeed;
  throw new CommandRejected(`${url} is not a JSON Feed.`);
};

/** The way of telling that hubs agree on since PubSubHubbub 0.4; WebSub leaves it to them. */
const notify = (hub: string, topic: string): Promise<Response> =>
  request(hub, {
    method: 'POST',
    body: new URLSearchParams({ 'hub.mode': 'publish', 'hub.topic': topic, 'hub.url': topic }),
  });

const request = async (url: string, init: RequestInit = {}): Promise<Response> => {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    (error: Error) => {
      const reason =
        error.cause instanceof Error && error.cause.message ? error.cause.message : error.message;
      throw new CommandRejected(`${url}: ${reason}`, { cause: error });
    },
  );
  if (answer.ok) return answer;
  throw new CommandRejected(`${url}: status ${answer.status}`);
};
