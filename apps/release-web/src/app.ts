import { apiReference, createService, type Service, type ServiceOptions } from '@workspace/service-kit';
import { apiBranch, apiBranches, apiEvents, apiSupport } from './http/routes/api-branches.ts';
import { schedule, timeline } from './http/routes/api-documents.ts';
import {
  apiDevVersions,
  apiLatestRelease,
  apiPreReleases,
  apiRelease,
  apiReleases,
} from './http/routes/api-releases.ts';
import { branches } from './http/routes/branches.ts';
import { download } from './http/routes/download.ts';
import { branchSupport, endoflifeCycle, endoflifeCycles, endoflifeProduct } from './http/routes/endoflife.ts';
import { atomFeed, branchFeeds, jsonFeed } from './http/routes/feeds.ts';
import { health, type HealthSource, live, ready } from './http/routes/health.ts';
import { mirrorInfo } from './http/routes/mirror-info.ts';
import { activeReleases, branchStates, releaseIndex } from './http/routes/php-compat.ts';
import { preReleaseBuilds } from './http/routes/pre-release-builds.ts';
import { branchPage, frontPage, releasePage } from './http/routes/pages.ts';
import { movedPermanently } from './http/routes/redirects.ts';
import type { ResponseSource } from './http/routes/respond.ts';
import type { Site } from './http/site.ts';

export interface AppNeeds extends ServiceOptions, ResponseSource, HealthSource {
  readonly site: Site;
}

/** The version of php.net's interface that the contract describes. */
const CONTRACT_VERSION = '2025.4.1';

const API_TAGS = [
  { name: 'contract', description: 'The paths of the contract, as php.net answers them.' },
  {
    name: 'api',
    description: 'The same facts for new clients: versioned JSON, a calendar, a picture, a feed.',
  },
  { name: 'php.net', description: 'What else php.net answers, for the clients it has.' },
  { name: 'endoflife.date', description: 'The same facts in the shapes of endoflife.date, for its clients.' },
  { name: 'service', description: 'The service itself.' },
];

/** Every path of release-web. Of several paths with the same answer the first is the documented one. */
export const buildApp = ({ store, clock, data, version, site, ...kit }: AppNeeds): Service => {
  // A response that caches may store has no request id: it would be the id of another request.
  const app = createService({ ...kit, tellRequestIds: false });
  // No route takes a body: none is read, not even for the 404 or 405 that answers it.
  app.removeAllContentTypeParsers();
  // The facts are public: any page may read them, and the header does not depend on the caller.
  // And browsers must not guess the type of a response.
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.headers({ 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' });
    done();
  });
  const source = { store, clock };
  const to = (path: string) => ({ base: site.redirectBase, path });
  // Before the routes, which it describes: /docs, /openapi.json, /openapi.yaml.
  apiReference(app, {
    title: 'release-web',
    version: CONTRACT_VERSION,
    softwareVersion: version,
    description: 'Releases, support states and pre-release builds of PHP. Read only and public.',
    tags: API_TAGS,
    aliases: ['/api/v1/openapi.json'],
  });

  // The contract, in its order.
  mirrorInfo(app, ['/mirror-info.php', '/mirror-info'], source, site.host);
  atomFeed(app, ['/releases/feed.php', '/releases/feed'], source);
  movedPermanently(app, '/relases.atom', to('/releases/feed.php'), 'misspeltAtom');
  movedPermanently(app, '/releases.atom', to('/releases/feed.php'), 'atom');
  branches(app, ['/releases/branches.php', '/releases/branches'], source);
  preReleaseBuilds(app, ['/pre-release-builds.php', '/pre-release-builds'], source);

  // php.net compatibility.
  releaseIndex(app, ['/releases/index.php', '/releases/index', '/releases', '/releases/'], source);
  activeReleases(app, ['/releases/active.php', '/releases/active'], source);
  branchStates(app, ['/releases/states.php', '/releases/states'], source);
  movedPermanently(app, '/release-candidates.php', to('/pre-release-builds.php'), 'releaseCandidates');
  movedPermanently(app, '/release-candidates', to('/pre-release-builds.php'), 'releaseCandidatesAlias');

  // For new clients.
  apiBranches(app, '/api/v1/branches', source);
  apiBranch(app, '/api/v1/branches/:branch', source);
  apiReleases(app, '/api/v1/releases', source);
  apiLatestRelease(app, '/api/v1/releases/latest', source);
  apiRelease(app, '/api/v1/releases/:version', source);
  apiPreReleases(app, '/api/v1/pre-releases', source);
  apiDevVersions(app, '/api/v1/dev-versions', source);
  apiSupport(app, '/api/v1/support', source);
  apiEvents(app, '/api/v1/events', source);
  schedule(app, '/api/v1/schedule.ics', source);
  timeline(app, '/api/v1/timeline.svg', source);
  jsonFeed(app, '/releases/feed.json', source);
  const branch = '/releases/:branch(^\\d+\\.\\d+)' as const;
  branchFeeds(app, { atom: `${branch}/feed.atom`, json: `${branch}/feed.json` }, source);
  branchSupport(app, `${branch}/support.json`, source);

  // As endoflife.date answers.
  endoflifeProduct(app, ['/api/v1/products/:product', '/api/v1/endoflife/:product.json'], source);
  endoflifeCycles(app, '/api/:product(^[a-z0-9-]+).json', source);
  endoflifeCycle(app, '/api/:product/:branch(^\\d+\\.\\d+).json', source);

  // Pages and files.
  frontPage(app, '/', source);
  branchPage(app, `${branch}/`, source, site.redirectBase);
  releasePage(app, '/releases/:version(^\\d+_\\d+_\\d+).php', source);
  download(app, '/distributions/:filename', source);

  health(app, '/health', { clock, version, data });
  ready(app, ['/health/ready', '/readyz'], data, kit.drain);
  live(app, ['/health/live', '/healthz']);
  return app;
};
