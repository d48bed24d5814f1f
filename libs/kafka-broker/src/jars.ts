import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { exclusively } from '@workspace/file-lock';
import { workspaceRoot } from '@workspace/testing';
import type { FirstStartStep } from './first-start.ts';
import { javaEnvironment } from './java.ts';
import { startSupervisor } from './supervised.ts';

/** The file that says which Kafka this is. */
export const pomFile = join(workspaceRoot, 'docker/kafka/pom.xml');

/** The jars of that Kafka, as `sha256sum` prints them. */
const digestsFile = join(workspaceRoot, 'docker/kafka/jars.sha256');

/**
 * Where the jars of a pom live: outside git, one folder per content of the pom, so that another version or another
 * checkout never mixes with it.
 */
export const jarsFolder = (pom: string, env: NodeJS.ProcessEnv = process.env): string => {
  const cache = env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const hash = createHash('sha256').update(pom).digest('hex').slice(0, 12);
  return join(cache, 'three-services', `kafka-${kafkaVersion(pom)}-${hash}`);
};

/** The version of Kafka that a pom names. */
export const kafkaVersion = (pom: string): string => {
  const version = /<kafka\.version>([^<]+)</.exec(pom)?.[1];
  if (version === undefined) throw new Error(`${pomFile} does not name kafka.version`);
  return version;
};

const folderOfThisPom = (): string => jarsFolder(readFileSync(pomFile, 'utf8'));

/** Whether the jars are there already, i.e. whether a broker can start without Maven and without the network. */
export const jarsCached = (): boolean => existsSync(folderOfThisPom());

/** Whether Maven can be called to fetch them. */
export const mavenInstalled = (): boolean =>
  spawnSync('mvn', ['--version'], { stdio: 'ignore', env: javaEnvironment() }).status === 0;

/** @throws unless the jars of a folder are those of the list, no more and no less */
const checkJars = async (folder: string, digests: string): Promise<void> => {
  const listed = (await readFile(digests, 'utf8')).split('\n').filter(Boolean);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jar'));
  const found = await Promise.all(
    names.map(async (name) => {
      const content = await readFile(join(folder, name));
      return `${createHash('sha256').update(content).digest('hex')}  ${name}`;
    }),
  );
  const differing = [
    ...listed.filter((line) => !found.includes(line)),
    ...found.filter((line) => !listed.includes(line)),
  ];
  const wrong = [...new Set(differing.map((line) => line.replace(/.* /, '')))];
  if (wrong.length === 0) return;
  const more = wrong.length - 1;
  throw new Error(
    `Kafka is not started: ${wrong[0]}${more > 0 ? ` and ${more} other jars` : ''} in ${folder} ${more > 0 ? 'differ' : 'differs'} from docker/kafka/jars.sha256. ` +
      'Delete the folder to fetch the jars again; after a change of pom.xml, run npx nx record-jars kafka-broker.',
  );
};

/**
 * Fetches Kafka's jars once, compares them with the list of their digests each time, and answers their folder. The folder
 * appears by a rename, so it is whole or absent even when a fetch is killed; parallel starters wait for the one that fetches.
 * @param onStep is told of a fetch as it goes on; not called when there is nothing to fetch
 * @param digests the list, as `sha256sum` prints it
 * @throws when a jar, fetched now or before, is not the one of the list
 */
export const kafkaJars = async (
  onStep?: (progress: FirstStartStep) => void,
  digests = digestsFile,
): Promise<string> => {
  const folder = folderOfThisPom();
  if (!existsSync(folder)) {
    await mkdir(dirname(folder), { recursive: true });
    await exclusively(`${folder}.locked`, async () => {
      if (!existsSync(folder)) await fetchJars(folder, onStep);
    });
  }
  await checkJars(folder, digests);
  return folder;
};

/** Maven runs under a supervisor: killed with us, and its half-filled folder removed. */
const fetchJars = async (
  folder: string,
  onStep: (progress: FirstStartStep) => void = () => undefined,
): Promise<void> => {
  const began = performance.now();
  const half = `${folder}.half-${process.pid}`;
  const supervisor = startSupervisor(half);
  try {
    await mkdir(half);
    const log = join(half, 'maven.log');
    const jars = join(half, 'jars');
    const maven = await supervisor.run(
      [
        ...['mvn', '--batch-mode', '--strict-checksums', '-f', pomFile],
        ...['dependency:copy-dependencies', `-DoutputDirectory=${jars}`],
      ],
      log,
    );
    onStep({ step: 'fetching', bytes: 0 });
    const watch = setInterval(
      () => onStep({ step: 'fetching', bytes: downloadedBytes(readFileSync(log, 'utf8')) }),
      250,
    );
    const { code } = await maven.exited.finally(() => clearInterval(watch));
    const output = await readFile(log, 'utf8');
    if (code !== 0) {
      const errors = output.split('\n').filter((line) => line.startsWith('[ERROR]'));
      throw new Error(`Maven could not fetch Kafka's jars:\n${errors.slice(0, 3).join('\n')}`);
    }
    await rename(jars, folder);
    onStep({ step: 'fetched', bytes: downloadedBytes(output), seconds: (performance.now() - began) / 1000 });
  } finally {
    await supervisor.close();
  }
};

const SIZES: Record<string, number> = { B: 1, kB: 1e3, MB: 1e6 };

/** Sum of what Maven writes of each file: `Downloaded from central: https://… (4.1 MB at 2.2 MB/s)`. */
const downloadedBytes = (log: string): number =>
  [...log.matchAll(/^\[INFO\] Downloaded from .* \(([\d.]+) (B|kB|MB) at /gm)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * SIZES[unit!]!,
    0,
  );
