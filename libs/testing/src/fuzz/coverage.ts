import { pathToFileURL } from 'node:url';
import { javaScriptOf, loadInstead } from '../source-changes.ts';
import { workspaceRoot } from '../workspace.ts';
import { instrumented } from './instrument.ts';

const MOST_BRANCHES = 1 << 16;
const SOURCES = new RegExp(
  `^${pathToFileURL(workspaceRoot).href}/(apps|libs)/(?!testing/src/)[^/]+/(src|data|fuzz)/.*\\.ts$`,
);

/** Which branches of the workspace's code ran, as far as it was loaded after `start`. */
export class Coverage {
  static #counts: Uint32Array | undefined;
  static #branches = 0;
  /** by branch, one bit for each power of two that the number of its runs for one input had */
  #seen = new Uint32Array(MOST_BRANCHES);

  /** Counts branches of what this thread loads from now on. @param changed sources that are loaded instead, by URL */
  static start(changed: ReadonlyMap<string, string>): void {
    const counts = new Uint32Array(MOST_BRANCHES);
    Coverage.#counts = counts;
    (globalThis as Record<symbol, unknown>)[Symbol.for('fuzz counts')] = counts;
    const number = (): number => {
      Coverage.#branches += 1;
      if (Coverage.#branches === MOST_BRANCHES) throw new Error(`more than ${MOST_BRANCHES} branches`);
      return Coverage.#branches - 1;
    };
    loadInstead((url) =>
      SOURCES.test(url) ? instrumented(changed.get(url) ?? javaScriptOf(url), number) : undefined,
    );
  }

  /** Begins a new input. */
  begin(): void {
    Coverage.#counts!.fill(0, 0, Coverage.#branches);
  }

  /** Ends an input. @returns how many branches it ran, counting each time, and whether it ran one as often as no other input did */
  end(): { readonly work: number; readonly isNew: boolean } {
    const counts = Coverage.#counts!;
    const seen = this.#seen;
    let work = 0;
    let isNew = false;
    for (let branch = 0; branch < Coverage.#branches; branch += 1) {
      const count = counts[branch]!;
      if (count === 0) continue;
      work += count;
      const bit = 1 << (31 - Math.clz32(count));
      if ((seen[branch]! & bit) !== 0) continue;
      seen[branch]! |= bit;
      isNew = true;
    }
    return { work, isNew };
  }

  /** How many branches ran so far. */
  get covered(): number {
    return this.#seen.reduce((sum, bits) => sum + (bits === 0 ? 0 : 1), 0);
  }
}
