import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The oldest Java that Kafka 4 brokers run on (Kafka's upgrade notes for 4.0). */
export const oldestJava = 17;

/** The `java` (or another tool of the JDK) that JAVA_HOME names, else the one on PATH. */
export const javaTool = (tool: 'java' | 'keytool', env: NodeJS.ProcessEnv = process.env): string =>
  env['JAVA_HOME'] ? join(env['JAVA_HOME'], 'bin', tool) : tool;

/** The environment of a Java program: in the locale `C`, Java cannot use paths that are not ASCII. */
export const javaEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, LC_ALL: 'C.UTF-8' });

/** Feature release in what `java -version` prints: 17 for `"17.0.15"`, 8 for `"1.8.0_392"`, else undefined. */
export const parseJavaVersion = (text: string): number | undefined => {
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(text) ?? [];
  if (first === undefined) return undefined;
  return Number(first === '1' && second !== undefined ? second : first);
};

let printed: string | undefined;

/** What `java -version` prints, empty when there is no Java. Asked once: a JVM has to start for it. */
export const javaVersion = (): string =>
  (printed ??= spawnSync(javaTool('java'), ['-version'], { encoding: 'utf8' }).stderr ?? '');

/** Feature release of the installed Java; undefined when there is none. */
export const installedJava = (): number | undefined => parseJavaVersion(javaVersion());
