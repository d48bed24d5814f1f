import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';
import { withFileLock } from './file-lock.ts';
import { startSupervisor } from './supervised.ts';

/** The file that says which Kafka this is. */
export const pomFile = join(workspaceRoot, 'docker/kafka/pom.xml');

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
  spawnSync('mvn', ['--version'], { stdio: 'ignore' }).status === 0;

/**
 * Fetches Kafka's jars once and answers their folder. The folder appears by a rename, so it is whole or absent even
 * when a fetch is killed; parallel starters wait for the one that fetches.
 */
export const kafkaJars = async (): Promise<string> => {
  const folder = folderOfThisPom();
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  await withFileLock(`${folder}.lock`, async () => {
    if (!existsSync(folder)) await fetchJars(folder);
  });
  return folder;
};

/** Maven runs under a supervisor: killed with us, and its half-filled folder removed. */
const fetchJars = async (folder: string): Promise<void> => {
  const half = `${folder}.half-${process.pid}`;
  const supervisor = startSupervisor(half);
  try {
    await mkdir(half);
    const log = join(half, 'maven.log');
    const jars = join(half, 'jars');
    const maven = await supervisor.run(
      ['mvn', '-q', '-B', '-f', pomFile, 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`],
      log,
    );
    const { code } = await maven.exited;
    if (code !== 0) {
      const said = (await readFile(log, 'utf8')).split('\n').slice(0, 3).join('\n');
      throw new Error(`Maven could not fetch Kafka's jars:\n${said}`);
    }
    await rename(jars, folder);
  } finally {
    await supervisor.close();
  }
};
