import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts, kafkaAvailable, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { missingTools } from '@workspace/service-kit/testing';
import { buildah, type Container, entriesOf, type Image, openImage, runImage } from './support/container.ts';
import { pythonProgram } from './support/python.ts';
import { answered, type App } from './support/service.ts';
import { eventually } from './support/wait.ts';
import { workspace } from './support/workspace.ts';

const missing = missingTools('buildah', 'debootstrap', 'unshare', 'nsenter', 'python3');
if (missing.length > 0 && process.env['CI']) throw new Error(`missing: ${missing.join(', ')}`);
// Making a base image and running one in namespaces of its own takes root; a tool can be installed, that cannot.
if (process.getuid?.() !== 0) missing.push('root');
if (missing.length > 0) console.warn(`no images are built here: ${missing.join(', ')} missing`);
const where = missing.length > 0 ? describe.skip : describe;

/** For all builds of this run: a commit made meanwhile would change the time stamps. */
const settings = {
  SOURCE: 'https://git.example/owner/repo',
  REVISION: execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim(),
  SOURCE_DATE_EPOCH: execFileSync('git', ['show', '-s', '--format=%ct', 'HEAD'], { encoding: 'utf8' }).trim(),
};

const build = (app: App, environment: NodeJS.ProcessEnv = {}): string =>
  execFileSync('sh', ['images/build.sh', app], {
    encoding: 'utf8',
    env: { ...process.env, ...settings, ...environment },
  }).trim();

/** What CycloneDX's own schema says against a bill of materials; nothing when it is one. */
const faultOf = async (sbom: string): Promise<string> =>
  spawnSync(await pythonProgram('python'), ['e2e/support/validate-sbom.py'], {
    input: sbom,
    encoding: 'utf8',
  }).stderr;

const CASES = {
  'release-web': { port: 3001, megabytes: 60 },
  'ops-intake': { port: 3000, megabytes: 60 },
  'ip-locate': { port: 3002, megabytes: 200 },
} as const;

where('the images', () => {
  beforeAll(() => {
    execFileSync('sh', ['images/stand-in-base.sh'], { stdio: 'inherit' });
  }, 900_000);
  // Half a gigabyte a run. The base has a name and stays.
  afterAll(() => void buildah('rmi', '--prune', '--force'));

  describe.each(Object.entries(CASES) as [App, (typeof CASES)[App]][])('%s', (app, { port, megabytes }) => {
    let image: Image;
    let container: Container;
    let started: Container | undefined;
    let broker: StandaloneBroker | undefined;
    let url: string;
    let management: string;

    beforeAll(async () => {
      build(app);
      image = openImage(`localhost/${app}:dev`);
      const [publicPort, managementPort] = (await freePorts(2)) as [number, number];
      url = `http://127.0.0.1:${publicPort}`;
      management = `http://127.0.0.1:${managementPort}`;
      if (app === 'ops-intake' && kafkaAvailable().ok) broker = await startBroker();
      started = container = await runImage(image, {
        HOST: '127.0.0.1',
        MANAGEMENT_HOST: '127.0.0.1',
        PORT: String(publicPort),
        MANAGEMENT_PORT: String(managementPort),
        ...(broker && { KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers }),
      });
      await answered(container, url);
    }, 900_000);
    afterAll(async () => {
      // Whatever failed, it does not go on.
      if (started?.running()) await started.end('SIGKILL');
      await broker?.stop();
      image.remove();
    });

    it('says who it is and how it runs', () => {
      const version = (
        JSON.parse(readFileSync(join(workspace, 'apps', app, 'package.json'), 'utf8')) as { version: string }
      ).version;
      const { User, Cmd, Healthcheck, ExposedPorts, Labels } = image.config;
      expect({ User, Cmd, test: Healthcheck.Test, ports: Object.keys(ExposedPorts).sort() }).toEqual({
        User: '1000:1000',
        Cmd: ['node', 'main.js'],
        test: ['CMD', 'node', 'healthcheck.js'],
        ports: [`${port}/tcp`, '9464/tcp'].sort(),
      });
      expect(Labels).toMatchObject({
        'org.opencontainers.image.title': app,
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.revision': settings.REVISION,
        'org.opencontainers.image.source': settings.SOURCE,
        'org.opencontainers.image.licenses': 'Apache-2.0',
      });
    });

    it('holds what it needs to run and lists it, and no tool of ours', async () => {
      const sbom = readFileSync(join(image.root, 'app/sbom.cdx.json'), 'utf8');
      expect(await faultOf(sbom)).toBe('');
      const { metadata, components } = JSON.parse(sbom) as {
        metadata: { component: { name: string } };
        components: { name: string; version: string }[];
      };
      expect(metadata.component.name).toBe(app);
      const listed = components.map(({ name }) => name);
      expect(listed).toEqual(expect.arrayContaining(['fastify', 'pino', 'prom-client', '@sinclair/typebox']));
      const installed = readdirSync(join(image.root, 'app/node_modules')).filter(
        (name) => !/^[.@]/.test(name),
      );
      expect(installed.filter((name) => !listed.includes(name))).toEqual([]);
      // The image for another kind of processor gets the very same files.
      const files = readdirSync(join(image.root, 'app'), { recursive: true, encoding: 'utf8' });
      expect(files.filter((file) => file.endsWith('.node'))).toEqual([]);
      for (const tool of ['nx', 'typescript', 'jest', 'eslint', 'esbuild', 'tsx'])
        expect(installed).not.toContain(tool);
      expect(installed.includes('kafkajs')).toBe(app === 'ops-intake');
      expect(installed.includes('feed')).toBe(app === 'release-web');
      const size = Number(
        execFileSync('du', ['-sm', join(image.root, 'app')], { encoding: 'utf8' }).split('\t')[0],
      );
      expect(size).toBeLessThan(megabytes);
    });

    it('runs as nobody special, unable to write or to gain rights', async () => {
      const status = readFileSync(`/proc/${container.pid}/status`, 'utf8');
      expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
      expect(status).toMatch(/^CapEff:\t0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
      expect(status).toMatch(/^NSpid:\t\d+\t1$/m);
      const write = "require('fs').writeFileSync('/app/x', '')";
      expect(
        await container.exec([
          'node',
          '-e',
          `try { ${write} } catch (e) { process.exit(e.code === 'EROFS' ? 7 : 8) }`,
        ]),
      ).toBe(7);
    });

    it('is healthy by its own HEALTHCHECK', async () => {
      expect(await container.exec(image.config.Healthcheck.Test.slice(1))).toBe(0);
    });

    it('answers /health, its management port and what it is for', async () => {
      if (app === 'ops-intake' && !broker) {
        expect(process.env['CI']).toBeUndefined();
        expect((await fetch(`${url}/health`)).status).toBe(503);
        return;
      }
      await eventually('health', async () =>
        (await fetch(`${url}/health`)).status === 200 ? true : undefined,
      );
      expect((await fetch(`${management}/ready`)).status).toBe(200);
      expect(await (await fetch(`${management}/metrics`)).text()).toContain('process_cpu_seconds_total');
      await MAIN_PATH[app](url);
    });

    it('ends with 0 on SIGTERM', async () => {
      expect(await container.end()).toEqual({ code: 0, signal: null });
    });
  });

  it('would not list what is inside in a way that CycloneDX does not know', async () => {
    const wrong = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 'one' };
    expect(await faultOf(JSON.stringify(wrong))).toContain("'one' is not of type 'integer'");
  });

  // Two things of one more build, for each takes a minute: it is made anew from nothing, and it has no data.
  it('of ip-locate can be had without data, holds the same bytes else, and then waits for some', async () => {
    build('ip-locate', { BUILD_ARGS: '--build-arg BUNDLED_DATA=false', TAG: 'no-data' });
    const image = openImage('localhost/ip-locate:no-data');
    const whole = openImage('localhost/ip-locate:dev');
    try {
      const data = 'app/node_modules/@ip-location-db';
      expect(existsSync(join(whole.root, data))).toBe(true);
      expect(existsSync(join(image.root, data))).toBe(false);
      // The list of what is inside is another one, too.
      const files = (root: string) =>
        entriesOf(root, 'app').filter(({ path }) => !path.startsWith(data) && path !== 'app/sbom.cdx.json');
      expect(files(image.root)).toEqual(files(whole.root));
      // buildah makes up a host name for each.
      expect({ ...image.config, Hostname: '' }).toEqual({ ...whole.config, Hostname: '' });
      const [port] = (await freePorts(1)) as [number];
      const url = `http://127.0.0.1:${port}`;
      const container = await runImage(image, { HOST: '127.0.0.1', PORT: String(port), MANAGEMENT_PORT: '' });
      await answered(container, url);
      // Unready, but alive: the data may still be mounted.
      expect((await fetch(`${url}/health`)).status).toBe(503);
      expect((await fetch(`${url}/8.8.8.8/json/`)).status).toBe(503);
      expect(await container.exec(image.config.Healthcheck.Test.slice(1))).toBe(0);
      expect(await container.end()).toEqual({ code: 0, signal: null });
    } finally {
      image.remove();
      whole.remove();
    }
  }, 900_000);
});

/** One request for what each service is there for. */
const MAIN_PATH: Record<App, (url: string) => Promise<void>> = {
  'release-web': async (url) => {
    const branches = (await (await fetch(`${url}/releases/branches.php`)).json()) as { branch: string }[];
    expect(branches.map(({ branch }) => branch)).toEqual(expect.arrayContaining(['8.5', '3.0']));
  },
  'ops-intake': async (url) => {
    const body = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]';
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/operations`, { method: 'POST', headers, body });
    expect([answer.status, await answer.json()]).toEqual([202, expect.objectContaining({ operations: 1 })]);
  },
  'ip-locate': async (url) => {
    const place = await (await fetch(`${url}/8.8.8.8/json/`)).json();
    expect(place).toMatchObject({ ip: '8.8.8.8', country: 'US' });
  },
};
