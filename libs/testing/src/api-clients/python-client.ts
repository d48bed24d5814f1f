import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pythonProgram } from '../python.ts';
import { runTool } from '../tools.ts';
import { type GeneratedClient, inFolder, resultOf, runGenerator, sentCalls } from './generated-client.ts';

/** Each message stands under a line that begins with WARNING or ERROR and names the operation; the description follows. */
const MESSAGE = /^(?:WARNING|ERROR) parsing (.*) within .*\n+(.*)/gm;
const UNREADABLE = /status code <.*?> /;

export const PYTHON_CLIENT: GeneratedClient = {
  generator: 'openapi-python-client',
  tools: ['python3'],
  run: (task) =>
    inFolder(async (folder) => {
      const { serviceUrl, document } = task;
      const generator = await pythonProgram('openapi-python-client', 'openapi-python-client');
      const file = join(folder, 'openapi.json');
      await writeFile(file, document);
      const config = join(import.meta.dirname, 'openapi-python-client.json');
      const output = await runGenerator(
        generator,
        [
          'generate',
          '--path',
          file,
          '--meta',
          'none',
          '--config',
          config,
          '--output-path',
          join(folder, 'api'),
        ],
        // The generator formats with ruff, which pip installed beside it.
        [`PATH=${dirname(generator)}:${process.env['PATH']}`],
      );
      const messages = [...output.matchAll(MESSAGE)].map(
        ([, operation, message]) => `${operation}: ${message!.replace(UNREADABLE, '')}`,
      );
      if (messages.length === 0 && /WARNING|ERROR/i.test(output)) messages.push(output);
      const sent = sentCalls(task);
      const program = join(folder, 'calls.py');
      await runTool('cp', [join(import.meta.dirname, 'calls.py'), program]);
      const python = join(dirname(generator), 'python');
      return resultOf(messages, runTool(python, [program, serviceUrl, JSON.stringify(sent)]));
    }),
};
