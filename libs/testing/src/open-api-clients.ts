import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pythonProgram } from './python.ts';
import { runTool } from './tools.ts';
import { cacheFolder, workspaceProgram } from './workspace.ts';

/** The media types that openapi-python-client knows how to parse; it takes a charset for a part of the name. */
const PARSED_TYPE = /^(?:application\/(?:.+\+)?json(?:;|$)|text\/|application\/octet-stream$)/;

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly responses?: Readonly<Record<string, WithContent>> };
}
type WithContent = { readonly content?: object };
type Operation = {
  readonly requestBody?: WithContent;
  readonly responses?: Readonly<Record<string, WithContent>>;
};

/**
 * The media types of a document's answers that openapi-python-client cannot parse; its clients take them as text. Types of
 * bodies are not among them: it would take their bodies for text, too, which it cannot send.
 */
export const textTypesOf = ({ paths, components }: OpenApiDocument): string[] => {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const answers = [...operations, components ?? {}].flatMap(({ responses }) =>
    Object.values(responses ?? {}),
  );
  const sent = new Set(operations.flatMap(({ requestBody }) => Object.keys(requestBody?.content ?? {})));
  const types = new Set(answers.flatMap(({ content }) => Object.keys(content ?? {})));
  return [...types].filter((type) => !PARSED_TYPE.test(type) && !sent.has(type)).sort();
};

/** The generator's messages, each under a line that begins with WARNING or ERROR, and those that are expected. */
const MESSAGE = /^(?:WARNING|ERROR).*\n+(.*)/gm;
const BODY_LEFT_OUT = /^Unsupported content type (application\/x-ndjson|text\/csv)$/;

const inFolder = async <T>(use: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(cacheFolder(), 'client-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};

/**
 * Generates types from a running service's description (openapi-typescript), checks a program that uses them with tsc,
 * and runs it.
 * @param program TypeScript; imports `paths` from './api.d.ts'; `process.argv[2]` is the URL of the service
 * @returns its output
 */
export const runTypescriptClient = (serviceUrl: string, program: string): Promise<string> =>
  inFolder(async (folder) => {
    await runTool(workspaceProgram('openapi-typescript'), [
      `${serviceUrl}/openapi.json`,
      '--output',
      join(folder, 'api.d.ts'),
    ]);
    const file = join(folder, 'client.ts');
    await writeFile(file, program);
    const flags = '--noEmit --strict --skipLibCheck --ignoreConfig --allowImportingTsExtensions --types node';
    const target = '--target es2023 --lib es2023,dom,dom.iterable --module esnext --moduleResolution bundler';
    await runTool(workspaceProgram('tsc'), [...flags.split(' '), ...target.split(' '), file]);
    return runTool(process.execPath, [file, serviceUrl]);
  });

/**
 * Generates a client from a running service's description (openapi-python-client) and runs a program that uses it. Any
 * warning is an error, but for bodies that the generator leaves out: it sends no text but JSON and forms.
 * @param program Python; imports from the package `api`; `sys.argv[1]` is the URL of the service
 * @returns its output
 */
export const runPythonClient = (serviceUrl: string, program: string): Promise<string> =>
  inFolder(async (folder) => {
    const generator = await pythonProgram('openapi-python-client', ['openapi-python-client==0.29.1']);
    const config = join(folder, 'config.json');
    const document = (await (await fetch(`${serviceUrl}/openapi.json`)).json()) as OpenApiDocument;
    const overrides = Object.fromEntries(textTypesOf(document).map((type) => [type, 'text/plain']));
    await writeFile(config, JSON.stringify({ content_type_overrides: overrides }));
    // The generator formats with ruff, which pip installed beside it.
    const path = `PATH=${dirname(generator)}:${process.env['PATH']}`;
    const generate = ['generate', '--url', `${serviceUrl}/openapi.json`, '--meta', 'none'];
    const output = ['--config', config, '--output-path', join(folder, 'api')];
    const log = await runTool('sh', [
      '-c',
      '"$@" 2>&1',
      'sh',
      'env',
      path,
      generator,
      ...generate,
      ...output,
    ]);
    const warnings = [...log.matchAll(MESSAGE)].filter(([, message]) => !BODY_LEFT_OUT.test(String(message)));
    if (warnings.length > 0) throw new Error(log);
    const file = join(folder, 'client.py');
    await writeFile(file, program);
    return runTool(join(dirname(generator), 'python'), [file, serviceUrl]);
  });

/**
 * Generates a client from a running service's description (oapi-codegen) and runs a program that uses it.
 * @param program Go; imports the package `client/api`; `os.Args[1]` is the URL of the service
 * @returns its output
 */
export const runGoClient = (serviceUrl: string, program: string): Promise<string> =>
  inFolder(async (folder) => {
    const go = (...args: string[]) => runTool('go', ['-C', folder, ...args]);
    const document = join(folder, 'openapi.json');
    await writeFile(document, await (await fetch(`${serviceUrl}/openapi.json`)).text());
    await writeFile(join(folder, 'main.go'), program);
    await go('mod', 'init', 'client');
    const generator = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
    const output = ['-generate', 'types,client', '-package', 'api', '-o', 'api/api.go', 'openapi.json'];
    await runTool('mkdir', [join(folder, 'api')]);
    await go('run', generator, ...output);
    await go('mod', 'tidy');
    return go('run', '.', serviceUrl);
  });
