import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { changedSources, type SourceChange } from '../source-changes.ts';
import { Corpus } from './corpus.ts';
import { Coverage } from './coverage.ts';
import { search, type SearchResult } from './search.ts';
import type { FuzzTarget } from './target.ts';

/** What a thread searches, one target after the other. */
export interface Task {
  /** the folder with `targets.ts` and the corpus */
  readonly folder: string;
  /** the only target to search */
  readonly target: string | undefined;
  /** targets that are not searched */
  readonly done: readonly string[];
  /** of the targets that are left, each `step`-th from this one on */
  readonly first: number;
  readonly step: number;
  readonly seed: number;
  /** for each target; 0 for none: only the targets are report */
  readonly seconds: number;
  readonly change: SourceChange | undefined;
  /** the input that is being tried: its number, its length, its bytes */
  readonly current: SharedArrayBuffer;
}

/** What a thread tells: which target comes next, then what it found. */
export interface Report {
  readonly target: Pick<FuzzTarget, 'name' | 'property' | 'planted'>;
  readonly result?: SearchResult;
}

const task = workerData as Task;
Coverage.start(changedSources(task.change ? [task.change] : []));
const { targets } = (await import(join(task.folder, 'targets.ts'))) as { targets: readonly FuzzTarget[] };
const [head, bytes] = [new Uint32Array(task.current, 0, 2), new Uint8Array(task.current, 8)];
const chosen = targets
  .filter(({ name }) => (task.target ?? name) === name)
  .filter((_, index) => index % task.step === task.first)
  .filter(({ name }) => !task.done.includes(name));
for (const one of chosen) {
  const target = { name: one.name, property: one.property, planted: one.planted };
  parentPort!.postMessage({ target } satisfies Report);
  if (task.seconds === 0) continue;
  head.fill(0);
  const result = await search(one, {
    ...task,
    // What is planted has to be found by searching.
    corpus: task.change ? [] : new Corpus(task.folder, one.name).read(),
    onInput: (input) => {
      head[0]! += 1;
      head[1] = input.length;
      bytes.set(input.subarray(0, bytes.length));
    },
  });
  parentPort!.postMessage({ target, result } satisfies Report);
}
process.exit();
