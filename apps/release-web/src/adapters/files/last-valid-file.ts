import { hash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Catalogue, shapedCatalogue } from '@workspace/release-catalogue';
import type { LastValidCatalogue } from '../../application/release-catalogue.ts';

const NAME = 'last-valid.json';
/** A save takes well under a second. What is older was left by a process that was killed. */
const LONGEST_SAVE_MS = 10 * 60_000;

/**
 * The facts that were served last, in one file: a line with the SHA-256 digest of all that follows, then the texts of the
 * data files. They are not checked by the rules again: a newer service with a new rule still starts with them.
 * @param source where the facts come from; what was kept of another source is not theirs
 */
export const lastValidFile = (folder: string, source: string): LastValidCatalogue => {
  const path = join(folder, NAME);
  return {
    load: async () => {
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (text === undefined) return undefined;
      const end = text.indexOf('\n');
      const body = text.slice(end + 1);
      if (end < 0 || text.slice(0, end) !== hash('sha256', body)) throw new Error(`${path} is damaged`);
      const kept = JSON.parse(body) as { source: string; texts: Record<string, string> };
      return kept.source === source ? shapedCatalogue(new Map(Object.entries(kept.texts))) : undefined;
    },
    save: async (catalogue) => {
      const body = JSON.stringify({ source, texts: textsOf(catalogue) });
      await mkdir(folder, { recursive: true });
      // Instances that share the folder write under names of their own.
      const temporary = join(folder, `.${NAME}.${hostname()}.${process.pid}.new`);
      try {
        const file = await open(temporary, 'w');
        try {
          await file.writeFile(`${hash('sha256', body)}\n${body}`);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      // The catalogue is kept by now, and the next save tries again to remove what is left.
      await removeLeftovers(folder, path).catch(() => undefined);
    },
  };
};

const removeLeftovers = async (folder: string, justSaved: string): Promise<void> => {
  // By the clock of the file system, which may be another machine's.
  const now = (await stat(justSaved)).mtimeMs;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`.${NAME}.`)) continue;
    const path = join(folder, name);
    // Another instance may have renamed or removed it meanwhile.
    const found = await stat(path).catch(() => null);
    if (found && now - found.mtimeMs > LONGEST_SAVE_MS) await rm(path, { force: true });
  }
};

const textsOf = ({ product, branches, news, newsUpdated, accepted }: Catalogue): Record<string, string> => ({
  'product.json': JSON.stringify(product),
  'news.json': JSON.stringify({ updated: newsUpdated, items: news }),
  'accepted-findings.json': JSON.stringify({ accepted }),
  ...Object.fromEntries(branches.map((branch) => [`branches/${branch.branch}.json`, JSON.stringify(branch)])),
});
