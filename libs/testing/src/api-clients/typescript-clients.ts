import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from '../tools.ts';
import { workspaceProgram } from '../workspace.ts';
import { type DescribedCall, headersOf, isJson, type PlainAnswer } from './api-calls.ts';
import {
  type ClientTask,
  type GeneratedClient,
  inFolder,
  messagesOf,
  resultOf,
  runGenerator,
} from './generated-client.ts';

const FLAGS =
  '--noEmit --strict --noUncheckedIndexedAccess --ignoreConfig --allowImportingTsExtensions --skipLibCheck ' +
  '--target es2023 --lib es2023,dom,dom.iterable --module esnext --moduleResolution bundler';

/** How a program is written for the client of one generator. */
interface Dialect {
  /** Generates the client into the folder. */
  readonly generate: (folder: string, serviceUrl: string) => Promise<string>;
  /** lines of the generator's output that tell of progress */
  readonly progress: RegExp;
  readonly imports: string;
  /** the media types that the generator takes for files */
  readonly blobs?: RegExp;
  /** the type of an answer's body */
  readonly typeOf: (call: DescribedCall, answer: PlainAnswer) => string;
  /** an expression of the status and the body */
  readonly send: (call: DescribedCall, answer: PlainAnswer) => string;
  /** the same past the generated functions; left out where there is no need for it */
  readonly sendDirectly?: (call: DescribedCall, answer: PlainAnswer) => string;
}

const literal = (value: unknown): string => JSON.stringify(value);
const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const isText = ({ type }: PlainAnswer): boolean => type !== '' && !isJson(type);
const object = (members: Readonly<Record<string, unknown>>): string =>
  Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${literal(value)}`)
    .join(', ');
const nonEmpty = <T extends object>(value: T): T | undefined =>
  Object.keys(value).length > 0 ? value : undefined;

const HEY_API: Dialect = {
  generate: async (folder, serviceUrl) => {
    const config = join(folder, 'hey-api.config.mjs');
    const output = { path: join(folder, 'api'), importFileExtension: '.ts' };
    await writeFile(config, `export default ${literal({ input: `${serviceUrl}/openapi.json`, output })};`);
    return runGenerator(workspaceProgram('openapi-ts'), ['--file', config, '--no-log-file']);
  },
  progress: /^@hey-api\/openapi-ts v|^\[Job 1\] (?:~ Generating|  \[1\] http|✓ )/,
  imports: `
import { client } from './api/client.gen.ts';
import * as api from './api/sdk.gen.ts';
import type * as types from './api/types.gen.ts';
client.setConfig({ baseUrl: serviceUrl, redirect: 'manual' });
const answerOf = ({ response, data, error }: { response?: Response; data?: unknown; error?: unknown }) =>
  ({ status: response!.status, data: response!.ok ? data : error });`,
  blobs: /^(?:application\/xml|image\/svg\+xml)/,
  typeOf: ({ operationId }, { status }) =>
    `types.${pascal(operationId)}${status < 400 ? 'Responses' : 'Errors'}[${status}]`,
  send: (call, answer) =>
    `answerOf(await api.${call.operationId}({ ${object({
      path: nonEmpty(call.path),
      query: call.query,
      headers: nonEmpty({ ...call.parameterHeaders, ...call.headers }),
      body: call.body,
      // By itself it makes Blobs of everything under application/, though it calls most of them strings.
      parseAs: isText(answer) && !HEY_API.blobs!.test(answer.type) ? 'text' : undefined,
    })} }))`,
  sendDirectly: (call, answer) =>
    `answerOf(await client.${call.method}({ ${object({
      url: call.template,
      path: nonEmpty(call.path),
      query: call.query,
      headers: headersOf(call),
      body: call.body,
      bodySerializer: null,
      parseAs: isText(answer) ? 'text' : 'auto',
    })} }))`,
};

const ORVAL: Dialect = {
  generate: async (folder, serviceUrl) => {
    const config = join(folder, 'orval.config.mjs');
    const output = {
      target: join(folder, 'api.ts'),
      client: 'fetch',
      baseUrl: serviceUrl,
      urlEncodeParameters: true,
    };
    const api = { input: `${serviceUrl}/openapi.json`, output };
    await writeFile(config, `export default ${literal({ api })};`);
    return runGenerator(workspaceProgram('orval'), ['--config', config]);
  },
  progress: /orval v[\d.]+ - |Your OpenAPI spec has been converted/,
  imports: `import * as api from './api.ts';`,
  blobs: /^image\//,
  typeOf: ({ operationId }, { status }) =>
    `Extract<api.${operationId}Response, { status: ${status} }>['data']`,
  send: (call) => {
    const args = [...Object.values(call.path), call.body, call.query].filter((value) => value !== undefined);
    const options = `{ redirect: 'manual', ${object({
      headers: nonEmpty({ ...call.parameterHeaders, ...call.headers }),
    })} }`;
    const noQuery = call.takesQuery && call.query === undefined ? ['undefined'] : [];
    return `await api.${call.operationId}(${[...args.map(literal), ...noQuery, options].join(', ')})`;
  },
  sendDirectly: (call, answer) =>
    `await fetch(api.get${pascal(call.operationId)}Url(${[...Object.values(call.path), ...(call.query ? [call.query] : [])].map(literal).join(', ')}), { ${object(
      {
        method: call.method.toUpperCase(),
        headers: headersOf(call),
        body: call.contentType ? call.body : literal(call.body),
      },
    )} }).then(async (response) => ({ status: response.status, data: await response.${
      isText(answer) ? 'text' : 'json'
    }() as unknown }))`,
};

const OPENAPI_FETCH: Dialect = {
  generate: (folder, serviceUrl) =>
    runGenerator(workspaceProgram('openapi-typescript'), [
      `${serviceUrl}/openapi.json`,
      '--output',
      join(folder, 'api.ts'),
    ]),
  progress: /^✨ openapi-typescript |^🚀 /u,
  imports: `
import createClient from 'openapi-fetch';
import type { paths } from './api.ts';
const client = createClient<paths>({ baseUrl: serviceUrl, redirect: 'manual' });
const answerOf = ({ response, data, error }: { response: Response; data?: unknown; error?: unknown }) =>
  ({ status: response.status, data: response.ok ? data : error });`,
  typeOf: ({ template, method }, { status, type }) =>
    `paths[${literal(template)}][${literal(method)}]['responses'][${status}]['content'][${literal(type)}]`,
  send: (call, answer) => {
    const params = nonEmpty({
      ...(nonEmpty(call.path) && { path: call.path }),
      ...(call.query && { query: call.query }),
      ...(nonEmpty(call.parameterHeaders) && { header: call.parameterHeaders }),
    });
    const parseAs = isText(answer) ? 'text' : undefined;
    const headers = nonEmpty({
      ...(call.contentType && { 'Content-Type': call.contentType }),
      ...call.headers,
    });
    const options = object({ params, body: call.body, headers, parseAs });
    const serializer = call.contentType ? ', bodySerializer: String' : '';
    return `answerOf(await client.${call.method.toUpperCase()}(${literal(call.template)}, { ${options}${serializer} }))`;
  },
};

/**
 * The program: each body that plain fetch got has to fit the generated type, which may not be `unknown` where the document
 * has a schema; then the generated function is called.
 */
const programOf = (dialect: Dialect, { serviceUrl, calls, plain, isDirect }: ClientTask): string => `
const serviceUrl = ${literal(serviceUrl)};
${dialect.imports}
type Known<T> = unknown extends T ? never : T;
const answers: Record<string, { status: number; data: unknown }> = {};
type Content<T> = T extends Blob ? string : T;
const textOf = async ({ status, data }: { status: number; data: unknown }) =>
  ({ status, data: data instanceof Blob ? await data.text() : data });
${calls
  .map((call) => {
    const answer = plain.get(call.name)!;
    if (isDirect(call))
      return `/* ${call.name} */ answers.${call.name} = await textOf(${dialect.sendDirectly!(call, answer)});`;
    const described = dialect.typeOf(call, answer);
    const type = dialect.blobs?.test(answer.type) ? `Content<${described}>` : described;
    const fits = `{ const body: ${answer.isTyped ? `Known<${type}>` : type} = ${literal(answer.data)}; void body; }`;
    return `/* ${call.name} */ ${answer.type === '' ? '' : fits}
/* ${call.name} */ answers.${call.name} = await textOf(${dialect.send(call, answer)});`;
  })
  .join('\n')}
console.log(JSON.stringify(answers));
`;

/** The compiler's findings in a program and what it imports. */
const typeErrors = async (file: string, program: string): Promise<string[]> => {
  try {
    await runTool(workspaceProgram('tsc'), [...FLAGS.split(' '), file]);
    return [];
  } catch (error) {
    const found = String(error).match(/^.*error TS.*(?:\n .*)*/gm);
    if (!found) throw error;
    const lines = program.split('\n');
    // The call instead of its line, which the reader never sees.
    const named = (_place: string, line: string) =>
      /\/\* (\w+)/.exec(lines[Number(line) - 1]!)?.[1] ?? 'program';
    return found.map((one) => one.replace(/^.*client\.ts\((\d+),\d+\)/, named).slice(0, 500));
  }
};

const typescriptClient = (generator: string, dialect: Dialect): GeneratedClient => ({
  generator,
  tools: [],
  run: (task) =>
    inFolder(async (folder) => {
      const output = await dialect.generate(folder, task.serviceUrl);
      const messages = messagesOf(output, dialect.progress);
      const file = join(folder, 'client.ts');
      const program = programOf(dialect, task);
      await writeFile(file, program);
      const errors = await typeErrors(file, program);
      if (errors.length > 0) return { messages: [...messages, ...errors], answers: {} };
      return resultOf(messages, runTool(process.execPath, [file]));
    }),
});

export const TYPESCRIPT_CLIENTS: readonly GeneratedClient[] = [
  typescriptClient('openapi-typescript', OPENAPI_FETCH),
  typescriptClient('hey-api', HEY_API),
  typescriptClient('orval', ORVAL),
];
