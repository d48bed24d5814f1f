import { apiReference } from '@workspace/api-reference';
import { createService, preflightRoute, type Service, type ServiceOptions } from '@workspace/service-kit';
import { declareProblems, renderProblemJson, withProblemPages } from '@workspace/service-kit/problems';
import type { Option } from './extension-points.ts';
import { apiBranch, apiBranches } from './http/api/branches.ts';
import { apiChanges } from './http/api/changes.ts';
import { apiEvents } from './http/api/events.ts';
import { apiKeys, keyring } from './http/api/keys.ts';
import { apiDevVersions, apiEarlierBuilds, apiPreReleases } from './http/api/pre-releases.ts';
import { apiLatestRelease, apiRelease, apiReleases } from './http/api/releases.ts';
import { apiSupport } from './http/api/support.ts';
import { branchFeed, siteFeed } from './http/feeds/feeds.ts';
import { health, type HealthSource, live, ready } from './http/health/health.ts';
import { problemPage } from './http/pages/problem-page.ts';
import { allReleasesPage, branchPage, frontPage, releasePage } from './http/pages/routes.ts';
import { activeReleases, branches, branchStates } from './http/php/branches.ts';
import { download } from './http/php/download.ts';
import { mirrorInfo } from './http/php/mirror-info.ts';
import { preReleaseBuilds } from './http/php/pre-release-builds.ts';
import { movedPermanently } from './http/php/redirects.ts';
import { releaseIndex } from './http/php/release-index.ts';
import { alsoWithSlash } from './http/rendering/aliased.ts';
import { Answers, type AnswersOptions } from './http/rendering/answers.ts';
import { PUBLIC_HEADERS } from './http/rendering/send.ts';
import { problems } from './problems.ts';

export interface AppDependencies extends ServiceOptions, AnswersOptions, Omit<HealthSource, 'staleDays'> {
  readonly options: readonly Option[];
}

/** The version of php.net's interface that the contract describes. */
const CONTRACT_VERSION = '2025.4.1';

const API_TAGS = [
  { name: 'contract', description: 'The paths of the contract, as php.net answers them.' },
  {
    name: 'api',
    description: 'The same facts for new clients: versioned JSON, a calendar, a picture, a feed.',
  },
  { name: 'php.net', description: 'Other php.net paths.' },
];

/** Every path of release-web but those of options. Of several paths with the same answer the first is the documented one. */
export const buildApp = ({
  store,
  clock,
  data,
  version,
  site,
  options,
  ...kit
}: AppDependencies): Service => {
  // A response that caches may store has no request id: it would be the id of another request.
  const app = createService({
    ...kit,
    sendRequestIds: false,
    renderProblem: withProblemPages(renderProblemJson, (problem, request) =>
      problemPage(problem, request, site, store.at(clock())?.snapshot.catalogue),
    ),
  });
  // No route takes a body: none is read, not even for the 404 or 405 that answers it.
  app.removeAllContentTypeParsers();
  // For what is not sent from the snapshot by `send`, problems included.
  app.addHook('onSend', (_request, reply, _body, done) => {
    void reply.headers(PUBLIC_HEADERS);
    done();
  });
  const answers = new Answers(app, { store, clock, site });
  const to = (path: string, part?: string) => ({ base: site.redirectBase, path, ...(part && { part }) });
  // Before the routes, which it describes: /docs, /openapi.json, /openapi.yaml.
  apiReference(app, {
    title: 'release-web',
    version: CONTRACT_VERSION,
    softwareVersion: version,
    description:
      'Releases, support states and pre-release builds of PHP. Read only and public. Each path answers HEAD, too, and paths that end in `.php` also answer without it, except for the page of a release.',
    tags: [
      ...API_TAGS,
      ...options.flatMap(({ tag }) => tag ?? []),
      { name: 'service', description: 'The service itself.' },
    ],
  });

  // With and without data.
  preflightRoute(app, 'GET, HEAD');
  mirrorInfo(answers, ['/mirror-info.php', '/mirror-info']);
  health(app, '/health', { clock, version, data, staleDays: site.settings.DATA_STALE_DAYS });
  ready(app, '/health/ready', data, kit.drain);
  live(app, '/health/live');
  movedPermanently(app, ['/relases.atom'], to('/releases/feed.php'), 'misspeltAtom');
  movedPermanently(app, ['/releases.atom'], to('/releases/feed.php'), 'atom');
  const candidates = ['/release-candidates.php', '/release-candidates'];
  movedPermanently(app, candidates, to('/pre-release-builds.php'), 'releaseCandidates');
  const supportedVersions = ['/supported-versions.php', '/supported-versions'];
  movedPermanently(app, supportedVersions, to('/releases/', 'supported'), 'supportedVersions');
  movedPermanently(app, ['/eol.php', '/eol'], to('/releases/', 'ended'), 'endOfLife');
  movedPermanently(app, ['/downloads.php', '/downloads'], to('/releases/', 'downloads'), 'downloads');

  // All others answer from the data.
  declareProblems(app, problems['no-data']);

  // The contract, in its order.
  siteFeed(answers, ['/releases/feed.php', '/releases/feed'], 'atom');
  branches(answers, ['/releases/branches.php', '/releases/branches']);
  preReleaseBuilds(answers, ['/pre-release-builds.php', '/pre-release-builds']);

  // php.net compatibility.
  releaseIndex(answers, ['/releases/index.php', '/releases/index', '/releases', '/releases/']);
  activeReleases(answers, ['/releases/active.php', '/releases/active']);
  branchStates(answers, ['/releases/states.php', '/releases/states']);

  // For new clients.
  alsoWithSlash(app, '/api/v1');
  apiBranches(answers, '/api/v1/branches');
  apiBranch(answers, '/api/v1/branches/:branch');
  apiReleases(answers, '/api/v1/releases');
  apiLatestRelease(answers, '/api/v1/releases/latest');
  apiRelease(answers, '/api/v1/releases/:version');
  apiPreReleases(answers, '/api/v1/pre-releases');
  apiEarlierBuilds(answers, '/api/v1/pre-releases/earlier');
  apiDevVersions(answers, '/api/v1/dev-versions');
  apiKeys(answers, '/api/v1/keys');
  keyring(answers, '/api/v1/keyring.asc');
  apiSupport(answers, '/api/v1/support');
  apiChanges(answers, '/api/v1/changes');
  apiEvents(answers, '/api/v1/events');
  siteFeed(answers, ['/releases/feed.json'], 'json');
  const branch = '/releases/:branch(^\\d+\\.\\d+)' as const;
  branchFeed(answers, `${branch}/feed.atom`, 'atom');
  branchFeed(answers, `${branch}/feed.json`, 'json');

  for (const { routes } of options) routes(answers);

  // Pages and files.
  frontPage(answers, '/');
  allReleasesPage(answers, '/releases/all');
  branchPage(app, answers, `${branch}/`);
  releasePage(answers, '/releases/:version(^\\d+_\\d+_\\d+).php');
  download(app, '/distributions/:filename', answers);
  return app;
};
