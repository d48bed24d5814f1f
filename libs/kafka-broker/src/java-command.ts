import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { javaTool, javaVersion } from './java.ts';

/**
 * C1 compiles fast and is fast enough; no perf data, because a killed JVM leaves that file in /tmp. What the JVM itself has to say
 * goes to stderr: stdout belongs to the program.
 */
const always = ['-XX:TieredStopAtLevel=1', '-XX:-UsePerfData', '-Xlog:disable', '-Xlog:all=error:stderr'];

/** Both compilers. The class archive is left out: it was made for the options of tests. */
export const optimizedJvm = ['-XX:TieredStopAtLevel=4'];

/**
 * The archive of Kafka's classes for this very Java, beside the jars: a JVM maps it into memory instead of reading, checking and
 * linking thousands of classes, which is 40 % of the processor time of a start. Without the file a JVM starts as ever.
 */
export const classArchive = (jars: string): string => {
  const java = createHash('sha256').update(javaVersion()).digest('hex').slice(0, 12);
  return join(jars, `classes-${java}.jsa`);
};

/**
 * Command line of a Java program on Kafka's jars.
 * @param jvmOptions in place of the one that names the class archive
 */
export const javaCommand = (
  jars: string,
  mainClass: string,
  args: string[],
  jvmOptions = [`-XX:SharedArchiveFile=${classArchive(jars)}`],
): string[] => [
  javaTool('java'),
  ...always,
  ...jvmOptions,
  '-Xmx512m',
  '-cp',
  join(jars, '*'),
  mainClass,
  ...args,
];
