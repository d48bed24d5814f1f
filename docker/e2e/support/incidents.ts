import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, workspaceRoot } from '@workspace/testing';
import { BUNDLED_DATABASE } from './bundled-database.ts';
import type { KeyedLoad } from './keyed-load.ts';
import { run } from './process.ts';
import type { SmallDisk } from './small-disk.ts';
import { Stack } from './stack.ts';

/** What happens to, and what mends it beside the commands of its page. */
interface Ground {
  readonly stack: Stack;
  readonly load: KeyedLoad;
  /** of all brokers */
  readonly disk: SmallDisk;
}

export interface Incident {
  readonly what: string;
  readonly cause: (ground: Ground) => Promise<unknown>;
  readonly alert: string;
  /** of the alert, as PromQL writes them */
  readonly labels?: string;
  readonly page: string;
  /** the commands of the page that concern it; all of them when left out */
  readonly steps?: readonly [from: number, to: number];
  /** what the page says in words, done before its commands */
  readonly remedy?: (ground: Ground) => unknown;
  /** variables that the page has set */
  readonly env?: (stack: Stack) => Record<string, string>;
  /** the page's example turned into this case */
  readonly adapt?: (command: string) => string;
}

const weaken = [
  ...['exec', '-T', 'kafka', '/opt/kafka/bin/kafka-configs.sh', '--bootstrap-server', 'localhost:19092'],
  ...['--alter', '--entity-type', 'topics', '--entity-name', 'operations'],
  ...['--add-config', 'message.timestamp.before.max.ms=40000'],
];

const inReplica = (stack: Stack, script: string): Promise<string> =>
  stack.compose('exec', '-T', '--index', '1', 'ops-intake', 'node', '-e', script);

const CLOCK = '/dev/shm/clock';
/** Shifts the clock of the first replica of ops-intake. */
const shift = (stack: Stack, seconds: string): Promise<string> =>
  inReplica(stack, `require('fs').writeFileSync('${CLOCK}', '${seconds}')`);

const BROKERS = ['kafka', 'kafka-2', 'kafka-3'];
/** Shifts the clock of the broker that leads the controllers, the only one that ops-intake compares its own clock with. */
const shiftLeader = async (stack: Stack, seconds: string): Promise<void> => {
  const status = await stack.compose(
    ...['exec', '-T', 'kafka', '/opt/kafka/bin/kafka-metadata-quorum.sh'],
    ...['--bootstrap-server', 'localhost:19092', 'describe', '--status'],
  );
  const leader = BROKERS[Number(/^LeaderId:\s+(\d)$/m.exec(status)?.[1]) - 1]!;
  await stack.compose('exec', '-T', leader, 'sh', '-c', `echo ${seconds} > ${CLOCK}`);
};
const setBrokersRight = async (stack: Stack): Promise<void> => {
  for (const broker of BROKERS) await stack.compose('exec', '-T', broker, 'rm', '-f', CLOCK);
};

/** Fills the memory of the first replica of ops-intake with a file, until the kernel kills the largest process. */
const fillMemory = async (stack: Stack): Promise<void> => {
  const started = async () => (await stack.containers('ops-intake'))[0]?.State.StartedAt;
  const before = await started();
  const write = `for (;;) require('fs').appendFileSync('/dev/shm/ballast', Buffer.alloc(1e6))`;
  await inReplica(stack, write).catch(() => undefined);
  await eventually('restart', async () => (await started()) !== before);
  await stack.compose('up', '--detach', '--no-build', '--no-recreate', '--wait', 'ops-intake');
};

/** Of the folders that services are given. */
const fileOf = (stack: Stack, name: string): string => join(stack.folder, 'incidents', name);

/** Replaces a file by renaming, and waits until the service has seen it. */
const exchange = async (
  stack: Stack,
  [service, said]: readonly [service: string, said: string],
  file: string,
  content: string | Buffer,
): Promise<void> => {
  const times = async () => (await stack.compose('logs', service)).split(said).length;
  const [before, { length: replicas }] = [await times(), await stack.containers(service)];
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
  await eventually(`${said} by ${service}`, async () => (await times()) >= before + replicas);
};
const LOADED = '"data files loaded"';
const REJECTED = 'data files not loaded';

/** A token, and the line for it in the file of tokens. */
const newToken = () => {
  const token = randomBytes(16).toString('hex');
  return { token, line: `desk:${createHash('sha256').update(token).digest('hex')}\n` };
};
const first = newToken();
/** What the clients of the load send. */
export const credentials = { authorization: `Bearer ${first.token}` };

/** @param disk the folder in which brokers keep their data */
export const createStack = async (disk: string): Promise<Stack> => {
  const stack = await Stack.create({
    COMPOSE_FILE: 'compose.yaml:compose.cluster.yaml:incidents.yaml',
    COMPOSE_PROFILES: 'probe',
    KAFKA_CLUSTER_ID_OF_THREE: 'dGhyZWUtYnJva2Vycy0zMw',
    DATABASE_PATH: '/databases/city.mmdb',
    DATA_DIR: '/data',
    OPS_INTAKE_AUTH_TOKENS_FILE: '/tokens/tokens',
  });
  const folders = { DATABASES: 'databases', RELEASE_DATA: 'release-data', OPS_INTAKE_TOKENS: 'tokens' };
  for (const name of Object.values(folders)) mkdirSync(fileOf(stack, name), { recursive: true });
  stack.set(Object.fromEntries(Object.entries(folders).map(([name, value]) => [name, fileOf(stack, value)])));
  copyFileSync(BUNDLED_DATABASE, fileOf(stack, 'databases/city.mmdb'));
  cpSync(join(workspaceRoot, 'apps/release-web/data'), fileOf(stack, 'release-data'), { recursive: true });
  writeFileSync(fileOf(stack, 'tokens/tokens'), first.line);
  const library = fileOf(stack, 'clock.so');
  await run({ command: 'cc', args: ['-shared', '-fPIC', '-o', library, 'e2e/support/clock.c'] });
  const shiftable = { environment: { LD_PRELOAD: '/clock.so' }, volumes: [`${library}:/clock.so:ro`] };
  const volumes = ['kafka-1', 'kafka-2', 'kafka-3'];
  for (const volume of volumes) {
    mkdirSync(join(disk, volume));
    // Kafka runs as a user of its own.
    await run({ command: 'chmod', args: ['777', join(disk, volume)] });
  }
  const bind = (volume: string) => ({
    driver_opts: { type: 'none', o: 'bind', device: join(disk, volume) },
  });
  writeFileSync(
    join(stack.folder, 'incidents.yaml'),
    JSON.stringify({
      services: {
        'ops-intake': { shm_size: '1g', ...shiftable },
        ...Object.fromEntries(BROKERS.map((broker) => [broker, shiftable])),
      },
      volumes: Object.fromEntries(volumes.map((volume) => [volume, bind(volume)])),
    }),
  );
  return stack;
};

export const INCIDENTS: readonly Incident[] = [
  {
    what: 'one of three brokers is killed',
    cause: ({ stack }) => stack.compose('kill', 'kafka-2'),
    alert: 'KafkaUnderReplicated',
    page: 'replica-down.md',
  },
  {
    what: 'two of three brokers are killed',
    cause: ({ stack }) => stack.compose('kill', 'kafka-2', 'kafka-3'),
    alert: 'KafkaUnavailable',
    page: 'broker-unavailable.md',
  },
  {
    what: 'the disk of the brokers is full',
    cause: ({ disk }) => Promise.resolve(disk.fill()),
    alert: 'DiskAlmostFull',
    page: 'disk-full.md',
    steps: [0, 2],
    remedy: ({ disk }) => disk.relieve(),
  },
  {
    what: 'a replica’s clock goes back ten minutes',
    cause: ({ stack }) => shift(stack, '-600'),
    alert: 'ClockStopsSubmissions',
    page: 'kafka-settings.md',
    steps: [2, 3],
    remedy: ({ stack }) => shift(stack, '+0'),
  },
  {
    what: 'a replica’s clock goes ten minutes ahead',
    cause: ({ stack }) => shift(stack, '+600'),
    alert: 'ClockDiffers',
    page: 'kafka-settings.md',
    steps: [2, 3],
    remedy: ({ stack }) => shift(stack, '+0'),
  },
  {
    what: 'a broker’s clock goes back ten minutes',
    cause: ({ stack }) => shiftLeader(stack, '-600'),
    alert: 'ClockDiffers',
    page: 'kafka-settings.md',
    steps: [2, 3],
    remedy: ({ stack }) => setBrokersRight(stack),
  },
  {
    what: 'a broker’s clock goes ten minutes ahead',
    cause: ({ stack }) => shiftLeader(stack, '+600'),
    alert: 'ClockStopsSubmissions',
    page: 'kafka-settings.md',
    steps: [2, 3],
    remedy: ({ stack }) => setBrokersRight(stack),
  },
  {
    what: 'a replica of ops-intake is killed',
    cause: ({ stack }) => stack.kill('ops-intake', 1),
    alert: 'ReplicasMissing',
    labels: 'job="ops-intake"',
    page: 'replica-down.md',
  },
  {
    what: 'a replica is out of memory, thrice',
    cause: async ({ stack }) => {
      for (let times = 0; times < 3; times += 1) await fillMemory(stack);
    },
    alert: 'RestartsOften',
    labels: 'job="ops-intake"',
    page: 'overload.md',
    steps: [0, 1],
  },
  {
    what: 'an upgrade does not start',
    cause: async ({ stack }) => {
      const broken = 'FROM localhost/ops-intake:dev\nCMD ["node", "--eval", "process.exit(1)"]\n';
      const folder = fileOf(stack, 'broken');
      mkdirSync(folder);
      writeFileSync(join(folder, 'Dockerfile'), broken);
      await run({
        command: 'docker',
        args: ['build', '--quiet', '--tag', 'localhost/ops-intake:broken', folder],
      });
      stack.set({ OPS_INTAKE_VERSION: 'broken' });
      await stack.compose('up', '--detach', '--no-build', 'ops-intake');
    },
    alert: 'ServiceDown',
    labels: 'job="ops-intake"',
    page: 'rolling-back.md',
    steps: [1, 3],
    env: () => ({ VERSION: 'dev' }),
    adapt: (command) =>
      command
        .replaceAll('IP_LOCATE', 'OPS_INTAKE')
        .replaceAll('ip-locate', 'ops-intake')
        .replaceAll('/8.8.8.8/country/', '/health'),
  },
  {
    what: 'the key store is stopped',
    cause: ({ stack }) => stack.compose('stop', 'valkey'),
    alert: 'KeyStoreUnavailable',
    page: 'key-store-full.md',
    steps: [0, 1],
  },
  {
    what: 'the key store is out of memory',
    cause: ({ stack }) =>
      stack.compose('exec', '-T', 'valkey', 'valkey-cli', 'config', 'set', 'maxmemory', '1mb'),
    alert: 'KeyStoreUnavailable',
    page: 'key-store-full.md',
  },
  {
    what: 'the topic gets a weaker setting',
    cause: ({ stack }) => stack.compose(...weaken),
    alert: 'KafkaSettingsWeak',
    page: 'kafka-settings.md',
    steps: [0, 2],
  },
  {
    what: 'tokens are rotated, and their file is damaged',
    cause: async ({ stack, load }) => {
      const [file, { token, line }] = [fileOf(stack, 'tokens/tokens'), newToken()];
      const before = readFileSync(file, 'utf8');
      await exchange(stack, ['ops-intake', LOADED], file, before + line);
      credentials.authorization = `Bearer ${token}`;
      await load.more(100);
      await exchange(stack, ['ops-intake', LOADED], file, line);
      await load.more(100);
      copyFileSync(file, `${file}.good`);
      await exchange(stack, ['ops-intake', REJECTED], file, 'desk:damaged');
    },
    alert: 'TokensRejected',
    page: 'data-stale.md',
    steps: [0, 0],
    remedy: ({ stack }) => renameSync(fileOf(stack, 'tokens/tokens.good'), fileOf(stack, 'tokens/tokens')),
  },
  {
    what: 'the database of ip-locate is replaced, and damaged',
    cause: async ({ stack }) => {
      const file = fileOf(stack, 'databases/city.mmdb');
      await exchange(stack, ['ip-locate', LOADED], file, readFileSync(BUNDLED_DATABASE));
      await exchange(stack, ['ip-locate', REJECTED], file, readFileSync(BUNDLED_DATABASE).subarray(0, 1e6));
    },
    alert: 'LocationDataRejected',
    page: 'data-stale.md',
    steps: [2, 3],
    env: (stack) => ({ NEW_FILE: BUNDLED_DATABASE, DATABASES: fileOf(stack, 'databases') }),
  },
  {
    what: 'the data of release-web is replaced, and damaged',
    cause: async ({ stack }) => {
      const file = fileOf(stack, 'release-data/news.json');
      copyFileSync(file, `${file}.good`);
      await exchange(stack, ['release-web', 'serving new data'], file, `${readFileSync(file, 'utf8')}\n`);
      await exchange(stack, ['release-web', 'the new data is invalid'], file, '{');
    },
    alert: 'ReleaseDataRejected',
    page: 'feed-wrong.md',
    steps: [0, 1],
    remedy: ({ stack }) =>
      renameSync(fileOf(stack, 'release-data/news.json.good'), fileOf(stack, 'release-data/news.json')),
  },
  {
    what: 'the proxy is stopped',
    cause: ({ stack }) => stack.compose('stop', 'proxy'),
    alert: 'ServiceUnreachable',
    page: 'proxy-down.md',
    steps: [0, 2],
  },
  {
    what: 'release-web is killed',
    cause: ({ stack }) => stack.compose('kill', 'release-web'),
    alert: 'ReplicasMissing',
    labels: 'job="release-web"',
    page: 'replica-down.md',
    steps: [0, 2],
  },
];
