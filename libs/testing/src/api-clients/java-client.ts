import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from '../tools.ts';
import { userCacheFolder } from '../workspace.ts';
import {
  type GeneratedClient,
  inFolder,
  messagesOf,
  resultOf,
  runGenerator,
  sentCalls,
} from './generated-client.ts';

/** What Maven says beside warnings and errors. */
const PROGRESS = /^(?!\[(?:WARNING|ERROR)\])/;
/** What the generator says of every document of OpenAPI 3.1, or of its own documentation. */
const OF_NO_CONSEQUENCE =
  /^\[WARNING\] (?:OpenAPI 3\.1 support is still in beta|Failed to get the schema name: null|No application\/json content media type found in response\. Response examples )/;

export const JAVA_CLIENT: GeneratedClient = {
  generator: 'openapi-generator',
  tools: ['mvn'],
  run: (task) =>
    inFolder(async (folder) => {
      const { serviceUrl, document } = task;
      const caches = userCacheFolder();
      const sources = join(folder, 'src/main/java');
      await mkdir(sources, { recursive: true });
      await mkdir(caches, { recursive: true });
      await writeFile(join(folder, 'openapi.json'), document);
      await runTool('cp', [join(import.meta.dirname, 'java-client.pom.xml'), join(folder, 'pom.xml')]);
      await runTool('cp', [join(import.meta.dirname, 'Calls.java'), sources]);
      // Maven's repository may not be filled by two at once: the suites of the services run side by side.
      const repository = join(caches, 'maven');
      const maven = ['-B', '-f', join(folder, 'pom.xml'), `-Dmaven.repo.local=${repository}`];
      const output = await runGenerator('flock', [
        `${repository}.lock`,
        'mvn',
        ...maven,
        'compile',
        'dependency:build-classpath',
        `-Dmdep.outputFile=${join(folder, 'classpath')}`,
      ]).catch((error: unknown) => {
        throw new Error(messagesOf(String(error), PROGRESS).join('\n') || String(error));
      });
      const messages = messagesOf(output, PROGRESS).filter((message) => !OF_NO_CONSEQUENCE.test(message));
      const sent = sentCalls(task);
      await writeFile(join(folder, 'calls.json'), JSON.stringify(sent));
      const run = ['-c', 'cd "$0" && exec java -cp "target/classes:$(cat classpath)" Calls "$1"'];
      return resultOf(messages, runTool('sh', [...run, folder, serviceUrl]));
    }),
};
