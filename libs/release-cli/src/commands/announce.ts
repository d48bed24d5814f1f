import { parseArgs } from 'node:util';
import { exclusively } from '@workspace/file-lock';
import { branchOf, replaceFile } from '@workspace/release-catalogue';
import { onlyPositional, required } from '../arguments.ts';
import { post, readJson } from '../http-json.ts';
import { type Command, CommandRejected, UsageError } from '../terminal.ts';
import { messageId, readCursor, readSecret, signedMessage } from '../webhook.ts';

const OPTIONS = {
  data: { type: 'string' },
  webhook: { type: 'string' },
  secret: { type: 'string' },
  state: { type: 'string' },
} as const;

/** The needed members of the site's JSON Feed. */
interface SiteFeed {
  readonly feed_url: string;
  readonly hubs?: readonly { readonly type: string; readonly url: string }[];
  readonly items: readonly { readonly _release?: { readonly version: string } }[];
}

export const announceCommand: Command = {
  summary: 'notify the WebSub hub of a site, or a webhook, of what has changed',
  usage: `announce <site> [options]
  <site> is the public address of release-web, like https://releases.example. Its feeds name the hub (WEBSUB_HUB).
  --webhook <url>       sends the changes since the last time there, and notifies no hub
  --secret <file>       signs them: whsec_ and 24 to 64 bytes in Base64
  --state <file>        the cursor of the last change that was sent; missing before the first time`,
  options: Object.keys(OPTIONS),
  afterFailure: 'What was sent may be sent again: run the command again.',
  example: 'announce https://releases.example',
  run: async (args, { terminal, now }) => {
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    const site = onlyPositional(positionals, 'site').replace(/\/+$/, '');
    if (!isWebAddress(site)) {
      throw new UsageError(`The site must be an address like https://releases.example, not "${site}".`);
    }
    if (values.webhook !== undefined) {
      const secret = required(values.secret, '--secret');
      const state = required(values.state, '--state');
      if (!isWebAddress(values.webhook)) {
        throw new UsageError(`--webhook must be an address, not "${values.webhook}".`);
      }
      const webhook = { url: values.webhook, secret, state, now };
      // Two at once would send the same changes, and the slower one might set the cursor back.
      const sent = await exclusively(`${state}.lock`, () => sendChanges(site, webhook));
      terminal.out(`${values.webhook} got ${sent} ${sent === 1 ? 'change' : 'changes'}`);
      return 0;
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

/** The needed members of the site's changes. */
interface SiteChanges {
  readonly cursor: string;
  readonly items: readonly { readonly at: string }[];
}

interface Webhook {
  readonly url: string;
  readonly secret: string;
  readonly state: string;
  readonly now: Date;
}

/**
 * Sends the changes since the last time, page by page. The cursor is kept when the receiver has a page, so that it gets a
 * page again, under the same id, rather than not at all.
 * @returns how many
 */
const sendChanges = async (site: string, { url, secret, state, now }: Webhook): Promise<number> => {
  const key = await readSecret(secret);
  for (let sent = 0, since = await readCursor(state); ;) {
    const query = since === undefined ? '' : `?since=${encodeURIComponent(since)}`;
    const { cursor, items } = await siteChanges(`${site}/api/v1/changes${query}`);
    const last = items.at(-1);
    if (!last) return sent;
    if (cursor === since) {
      throw new CommandRejected(
        `${site} answers changes with the cursor ${cursor} again: does a cache leave out the query?`,
      );
    }
    const body = JSON.stringify({ type: 'releases.changed', timestamp: last.at, data: { cursor, items } });
    await post(url, signedMessage(messageId(body), body, key, now));
    await replaceFile(state, `${cursor}\n`);
    sent += items.length;
    since = cursor;
  }
};

const siteChanges = async (url: string): Promise<SiteChanges> => {
  const changes = (await readJson(url)) as Partial<SiteChanges> | null;
  if (typeof changes?.cursor === 'string' && Array.isArray(changes.items)) return changes as SiteChanges;
  throw new CommandRejected(`${url} does not answer changes.`);
};

const siteFeed = async (url: string): Promise<SiteFeed> => {
  const feed = (await readJson(url)) as Partial<SiteFeed> | null;
  if (typeof feed?.feed_url === 'string' && Array.isArray(feed.items)) return feed as SiteFeed;
  throw new CommandRejected(`${url} is not a JSON Feed.`);
};

/** The way of telling that hubs agree on since PubSubHubbub 0.4; WebSub leaves it to them. */
const notify = (hub: string, topic: string): Promise<void> =>
  post(hub, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ 'hub.mode': 'publish', 'hub.topic': topic, 'hub.url': topic }).toString(),
  });
