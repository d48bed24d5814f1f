import { dockerLibrary } from './docker-library.ts';
import { type RunningService, startService } from './service.ts';
import { describeWith, freePort, runTool } from '@workspace/testing';

/** The latest versions change with every release: what is asked is that the paths lead somewhere. */
const VERSION = /^\d+\.\d+\.\d+$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** The field paths that programs of this world follow in php.net's answers, and what they must find there. */
const CLIENTS: [who: string, url: string, jq: string, each: RegExp][] = [
  [
    'docker-library/php, releases',
    '/releases/index.php?json&max=100&version=8',
    '(keys[] | select(startswith("8.4."))) as $v | $v',
    VERSION,
  ],
  [
    'docker-library/php, files',
    '/releases/index.php?json&max=100&version=8',
    '(keys[] | select(startswith("8.4."))) as $v | .[$v].source[] | select(.filename | endswith(".xz")) | .sha256 // ""',
    SHA256,
  ],
  [
    'docker-library/php, pre-releases',
    '/pre-release-builds.php?format=json&cachebuster=20261121',
    '(.releases // [])[] | .files.xz.path // ""',
    /^https:\/\/downloads\.php\.net\/~[a-z0-9_-]+\/php-[\dA-Za-z.]+\.tar\.xz$/,
  ],
  [
    'docker-library/php, pre-release digests',
    '/pre-release-builds.php?format=json',
    '(.releases // [])[] | .files.xz.sha256',
    SHA256,
  ],
  ['endoflife.date', '/releases/index.php?json&max=-1', 'to_entries[] | .value.date // .value.version', /./],
  [
    'endoflife.date, one major version',
    '/releases/index.php?json&max=-1&version=7',
    'to_entries[] | .value.date',
    /^\d{1,2} [A-Z][a-z]+ \d{4}$/,
  ],
  [
    'phpbrew',
    '/releases/index.php?json&version=7&max=100',
    '.[].source[] | select(.filename | endswith(".bz2")) | .filename',
    /^php-7\..*bz2$/,
  ],
  ['Matomo SecurityInfo', '/releases/index.php?json&version=7', '.announcement.English', /^\//],
  ['phpup', '/releases/index.php?json&version=7&max=50', '.[].museum', /^(true|false)$/],
  [
    'phpup, builds',
    '/release-candidates.php?format=json',
    '.releases[] | .version, .baseurl, .sha256_gz',
    /./,
  ],
  [
    'build scripts',
    '/pre-release-builds.php?format=json',
    '.[] | objects | .release | objects | .files.xz.path | strings',
    /\.tar\.xz$/,
  ],
  ['ScoopInstaller', '/releases/branches.php', '.[].latest', /^\d+\.\d+\./],
  [
    'EOL checkers',
    '/releases/branches.php',
    '.[] | select(.state != "eol" and .state != null) | .security_support_end[:10]',
    /^\d{4}-\d\d-\d\d$/,
  ],
  [
    'matrix actions',
    '/releases/branches.php',
    '.[] | select(.state == "stable" or .state == "security") | .branch',
    /^\d+\.\d+$/,
  ],
  ['web-bugs, releases', '/releases/active', '.[][] | .version', VERSION],
  ['php-versions', '/releases/active.php', '.[][] | .source[].filename', /^php-/],
  [
    'web-bugs, development',
    '/pre-release-builds.php?only=dev_versions',
    '.[]',
    /^\d+\.\d+\.\d+(-dev|alpha\d+|beta\d+|RC\d+)$/,
  ],
  // registryUrl is https://<host>/api
  ['Renovate', '/api/php.json', '.[] | select(.eol > "2026") | .cycle, .latest', /^\d+\.\d+(\.\d+)?$/],
  [
    'endoflife.date v1',
    '/api/v1/products/php',
    '.result.releases[] | select(.isMaintained) | .latest.name',
    VERSION,
  ],
  ['scripts', '/api/v1/branches/8.4', '.item.is_supported', /^(true|false)$/],
  ['health checks', '/releases/states?json', '.["8"]["8.5"].state', /^(stable|security|eol)$/],
];

describeWith(['curl', 'jq'], 'the clients of php.net, unmodified', () => {
  let service: RunningService;
  beforeAll(async () => {
    // Redirects lead to the public address, so the test must know it before it starts the service.
    const port = await freePort();
    service = await startService({
      PRE_RELEASE_SHAPE: 'keyed',
      PORT: String(port),
      PUBLIC_BASE_URL: `http://127.0.0.1:${port}`,
    });
  });
  afterAll(() => service.stop());

  it.each(CLIENTS)('%s', async (_who, url, expression, each) => {
    const json = await runTool('curl', ['-fsSL', '--compressed', service.url + url]);
    const found = (await runTool('jq', ['-r', expression], json)).trim().split('\n');
    expect(found.length).toBeGreaterThan(0);
    for (const value of found) expect(value).toMatch(each);
  });

  it('the script of docker-library/php finds release and pre-release', async () => {
    expect(await dockerLibrary(service.url, '8.4', 'release')).toEqual({
      version: expect.stringMatching(/^8\.4\.\d+$/),
      file: expect.stringMatching(/^php-8\.4\.\d+\.tar\.xz$/),
      sha256: expect.stringMatching(SHA256),
    });
    expect(await dockerLibrary(service.url, '8.5', 'build')).toEqual({
      version: expect.stringMatching(/^8\.5\.\d+(alpha|beta|RC)\d+$/),
      file: expect.stringMatching(/^https:\/\/.+\.tar\.xz$/),
      sha256: expect.stringMatching(SHA256),
    });
  });
});
