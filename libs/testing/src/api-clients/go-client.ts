import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from '../tools.ts';
import { isJson } from './api-calls.ts';
import { type GeneratedClient, inFolder, messagesOf, resultOf, runGenerator } from './generated-client.ts';

const GENERATOR = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

export const GO_CLIENT: GeneratedClient = {
  generator: 'oapi-codegen',
  tools: ['go'],
  run: ({ serviceUrl, document, calls, plain, isDirect }) =>
    inFolder(async (folder) => {
      const go = (...args: string[]) => runTool('go', ['-C', folder, ...args]);
      await writeFile(join(folder, 'openapi.json'), document);
      await runTool('cp', [join(import.meta.dirname, 'calls.go'), join(folder, 'main.go')]);
      await mkdir(join(folder, 'api'));
      await go('mod', 'init', 'client');
      const options = ['-generate', 'types,client', '-package', 'api', '-o', 'api/api.go', 'openapi.json'];
      const output = await runGenerator('go', ['-C', folder, 'run', GENERATOR, ...options]);
      const messages = messagesOf(output, /^go: downloading /);
      await go('mod', 'tidy');
      const sent = calls.map((call) => ({
        ...call,
        pathValues: [...call.template.matchAll(/\{(\w+)\}/g)].map(([, name]) => call.path[name!]),
        direct: isDirect(call),
        hasBody: call.body !== undefined,
        isJson: isJson(plain.get(call.name)!.type),
      }));
      return resultOf(messages, go('run', '.', serviceUrl, JSON.stringify(sent)));
    }),
};
