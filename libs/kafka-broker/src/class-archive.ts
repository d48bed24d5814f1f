import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { exclusively } from '@workspace/file-lock';
import { freePorts } from '@workspace/testing';
import type { FirstStartStep } from './first-start.ts';
import { classArchive } from './java-command.ts';
import { listeners } from './listeners.ts';
import { kafkaNode } from './node.ts';
import { startSupervisor } from './supervised.ts';
import { createTopic } from './topics.ts';

/** A JVM writes the archive when it ends, which takes longer than closing the logs. */
const TIMEOUT_MS = 120_000;

/**
 * Makes the class archive unless it is there: starts a broker that writes down which classes it has loaded, as the build of the
 * image `apache/kafka` does. Takes some ten seconds, once for each version of Kafka and of Java; parallel starters wait.
 * @param onStep is told when the archive is made
 */
export const archiveClasses = async (
  jars: string,
  onStep?: (progress: FirstStartStep) => void,
): Promise<void> => {
  const archive = classArchive(jars);
  if (existsSync(archive)) return;
  await exclusively(`${archive}.locked`, async () => {
    if (existsSync(archive)) return;
    onStep?.({ step: 'archiving' });
    await runAndArchive(jars, archive);
  });
};

const runAndArchive = async (jars: string, archive: string): Promise<void> => {
  const folder = `${archive}.half-${process.pid}`;
  const supervisor = startSupervisor(folder);
  try {
    await mkdir(folder);
    const written = join(folder, 'classes.jsa');
    const [controllerPort, port] = (await freePorts(2)) as [number, number];
    const node = kafkaNode({
      jars,
      layout: {
        id: 1,
        listeners: listeners({}, [port]),
        controllers: [{ id: 1, port: controllerPort }],
        dataFolder: join(folder, 'data'),
      },
      clusterId: 'class-archive-0000000w',
      folder,
      formatArguments: [],
      supervisor,
      jvmOptions: [`-XX:ArchiveClassesAtExit=${written}`],
    });
    await node.start();
    await node.answers(port, 1);
    await createTopic(`127.0.0.1:${port}`, 'any');
    await node.terminate(TIMEOUT_MS);
    // A JVM that cannot write archives starts as ever, and so do those after it.
    if (existsSync(written)) await rename(written, archive);
  } finally {
    await supervisor.close();
  }
};
