import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { runTool } from '../tools.ts';
import { cacheFolder } from '../workspace.ts';
import { type Answer, type DescribedCall, headersOf, isJson, pathOf, type PlainAnswer } from './api-calls.ts';

/** What clients are made of. */
export interface ClientTask {
  readonly serviceUrl: string;
  /** the text of the OpenAPI document */
  readonly document: string;
  readonly calls: readonly DescribedCall[];
  /** what plain fetch got */
  readonly plain: ReadonlyMap<string, PlainAnswer>;
  /** Whether a call goes past the generated functions, by the request function of the client. */
  readonly isDirect: (call: DescribedCall) => boolean;
}

/** What became of a client. */
export interface ClientResult {
  /** everything that the generator and the type check found wrong */
  readonly messages: readonly string[];
  /** by the name of the call */
  readonly answers: Readonly<Record<string, Answer>>;
}

export interface GeneratedClient {
  readonly generator: string;
  /** the programs it needs on PATH */
  readonly tools: readonly string[];
  readonly run: (task: ClientTask) => Promise<ClientResult>;
}

/** What a program in another language has to know of each call. */
export const sentCalls = ({ calls, plain, isDirect }: ClientTask): object[] =>
  calls.map((call) => ({
    query: {},
    ...call,
    direct: isDirect(call),
    pathname: pathOf(call),
    sentHeaders: headersOf(call),
    isJson: isJson(plain.get(call.name)!.type),
  }));

/** A folder below the workspace, so that the clients find its packages. */
export const inFolder = async <T>(use: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(cacheFolder(), 'client-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** Runs a generator for its output on both streams, without colours. */
export const runGenerator = async (
  command: string,
  args: readonly string[],
  env: readonly string[] = [],
): Promise<string> =>
  stripVTControlCharacters(await runTool('sh', ['-c', '"$@" 2>&1', 'sh', 'env', ...env, command, ...args]));

/** Lines of output that do not merely tell of progress. */
export const messagesOf = (output: string, progress: RegExp): string[] =>
  output.split('\n').filter((line) => line.trim() !== '' && !progress.test(line));

/** The answers that a client prints, or why it does not: a client that fails is often explained by the generator. */
export const resultOf = async (
  messages: readonly string[],
  client: Promise<string>,
): Promise<ClientResult> => {
  try {
    return { messages, answers: JSON.parse(await client) as Record<string, Answer> };
  } catch (error) {
    return { messages: [...messages, String(error)], answers: {} };
  }
};
