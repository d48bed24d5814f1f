import { randomInt } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { Corpus, lineOf } from './corpus.ts';
import { toolOptions } from '../tool-options.ts';
import type { SearchResult } from './search.ts';
import type { Task, Report } from './worker.ts';

/** Inputs that are kept of one target. */
const MOST_KEPT = 40;
/** Seconds within which a planted defect has to be found. */
const PLANTED_SECONDS = 60;
/** The longest input that can be told of a thread that hangs. */
const MOST_CURRENT_BYTES = 65_536;

const HELP = `Usage: npx nx fuzz PROJECT -- [options]

Searches for inputs that a parser does not handle as its rules say.

  --seconds SECONDS       for each target (default 10)
  --target NAME           the only target (default: all)
  --seed SEED             of the mutations (default: random)
  --keep                  replaces the corpus by the shortest inputs that run all the code that was found
  --planted               plants each target's defects, and ends a search when it is found
  --hang-seconds SECONDS  after so long, an input that is still being tried counts as endless (default 60)
  --at-once COUNT         searches at the same time (default 1)

Example: npx nx fuzz ip-locate -- --seconds 60 --at-once 2

Exit codes: 0 nothing was found (with --planted: every defect was), 1 otherwise, 2 wrong command line.`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

type Search = Omit<Task, 'current' | 'done'>;

/**
 * Runs searches in a thread of their own. When an input hangs it, the thread is ended, and another one goes on with the
 * next target.
 */
const searchInThread = async (
  search: Search,
  hangSeconds: number,
  listener: (report: Report) => void,
  done: readonly string[] = [],
): Promise<void> => {
  const current = new SharedArrayBuffer(8 + MOST_CURRENT_BYTES);
  const [head, bytes] = [new Uint32Array(current, 0, 2), Buffer.from(current, 8)];
  const workerData: Task = { ...search, done, current };
  const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData });
  let latest: Report | undefined;
  worker.on('message', (report: Report) => listener((latest = report)));
  let isOver = false;
  /** The input that is being tried is to blame. */
  const fail = (reason: string): void => {
    const [inputs = 0, length = 0] = head;
    isOver = true;
    const failure = { input: Buffer.from(bytes.subarray(0, length)), reason };
    listener({ ...latest!, result: { inputs, kept: [], branches: 0, failure } });
  };
  let before = 0;
  const timer = setInterval(() => {
    const [inputs = 0] = head;
    if (latest?.result === undefined && inputs === before && inputs > 0) {
      fail(`it does not end within ${hangSeconds} s`);
      void worker.terminate();
    }
    before = inputs;
  }, hangSeconds * 1_000);
  let error: Error | undefined;
  worker.on('error', (thrown: Error) => {
    if (head[0] === 0 || isOver) error = thrown;
    else fail(thrown.message);
  });
  await new Promise((resolve) => worker.once('exit', resolve));
  clearInterval(timer);
  if (error) throw error;
  if (isOver) await searchInThread(search, hangSeconds, listener, [...done, latest!.target.name]);
};

/**
 * The command line of a project's fuzz targets, which `targets.ts` exports as `targets`. Ends with status 1 when a property
 * is broken, or with `--planted` when a planted defect is not found.
 * @param folder with `targets.ts` and the corpus
 */
export const runFuzz = async (folder: string): Promise<void> => {
  const values = toolOptions(HELP, {
    seconds: { type: 'string', default: '10' },
    target: { type: 'string' },
    seed: { type: 'string' },
    keep: { type: 'boolean', default: false },
    planted: { type: 'boolean', default: false },
    'hang-seconds': { type: 'string', default: '60' },
    'at-once': { type: 'string', default: '1' },
  });
  const step = Number(values['at-once']);
  const hangSeconds = Number(values['hang-seconds']);
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  const { target } = values;
  const common = { folder, target, seed, first: 0, step: 1, change: undefined };

  const report = ({ target: { name, property }, result }: Report): void => {
    // Said first: V8 ends the whole process when it has no more memory.
    if (!result) return say(`${name}: seed ${seed}`);
    const { inputs, branches, kept, failure } = result;
    const corpus = new Corpus(folder, name);
    say(`${name}: ${inputs} inputs, ${branches} branches`);
    if (failure) {
      const input = toBuffer(failure.input);
      corpus.add(input);
      say(`FAILED: ${property}\n${lineOf(input)}\n${failure.reason}\nadded to ${corpus.file}`);
      process.exitCode = 1;
    } else if (values.keep) corpus.write(kept.slice(0, MOST_KEPT).map(toBuffer));
  };

  if (!values.planted) {
    const seconds = Number(values.seconds);
    await Promise.all(
      Array.from({ length: step }, (_, first) =>
        searchInThread({ ...common, first, step, seconds }, hangSeconds, report),
      ),
    );
    return;
  }

  const targets: Report['target'][] = [];
  await searchInThread({ ...common, seconds: 0 }, hangSeconds, (report) => targets.push(report.target));
  const jobs = targets.flatMap(({ name, planted }) => planted.map((change) => ({ target: name, change })));
  const next = async (): Promise<void> => {
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      const { change } = job;
      let found: SearchResult | undefined;
      await searchInThread(
        { ...common, ...job, seconds: PLANTED_SECONDS },
        hangSeconds,
        ({ result }) => (found = result),
      );
      const outcome = found?.failure ? 'found after' : 'NOT FOUND in';
      say(
        `${job.target}: ${outcome} ${found?.inputs} inputs: ${change.to || 'nothing'} in place of ${change.from}`,
      );
      if (!found?.failure) process.exitCode = 1;
    }
  };
  await Promise.all(Array.from({ length: step }, next));
};

/** Another thread sends a Buffer as the array that it is. */
const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
