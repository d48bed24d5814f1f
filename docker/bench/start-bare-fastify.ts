import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start, type Running } from '../e2e/support/process.ts';
import { answered } from '../e2e/support/service.ts';
import type { Answer } from './bare-fastify.ts';

/** What is asked: the body of a POST, as JSON; a GET without. */
export interface Asked {
  readonly path: string;
  readonly body?: string | undefined;
}

/** What a server sets for each response or connection itself. */
const OWN_HEADERS = new Set([
  'connection',
  'keep-alive',
  'date',
  'content-length',
  'transfer-encoding',
  'x-request-id',
]);

const answerOf = async (url: string, body: string | undefined): Promise<Answer> => {
  const answer = await fetch(url, {
    // As wrk asks: `fetch` would ask for a compressed body, and undo that.
    headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
    ...(body !== undefined && { method: 'POST', body }),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  const kept = [...answer.headers].filter(([name]) => !OWN_HEADERS.has(name));
  return { status: answer.status, headers: Object.fromEntries(kept), body: await answer.text() };
};

/**
 * Starts a bare Fastify that gives the same answers as a service.
 * @throws when one of them is no success
 * @param url of the service
 * @param env with `KAFKA_BOOTSTRAP_SERVERS` and `KAFKA_TOPIC`, what is posted is written there first
 */
export const startBareFastify = async (
  url: string,
  asked: readonly Asked[],
  { port, env = {} }: { port: number; env?: Record<string, string> },
): Promise<Running> => {
  const answers: Record<string, Answer> = {};
  for (const { path, body } of asked) answers[path] = await answerOf(`${url}${path}`, body);
  const folder = await mkdtemp(join(tmpdir(), 'bare-fastify-'));
  const file = join(folder, 'answers.json');
  await writeFile(file, JSON.stringify(answers));
  const running = start({
    command: process.execPath,
    args: ['--import', 'tsx', 'bench/bare-fastify.ts'],
    env: { ...process.env, NODE_ENV: 'production', PORT: String(port), ANSWERS_FILE: file, ...env },
  });
  await answered(running, `http://127.0.0.1:${port}/`);
  await rm(folder, { recursive: true });
  return running;
};
