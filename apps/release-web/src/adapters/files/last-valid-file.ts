import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Catalogue, shapedCatalogue } from '@workspace/release-catalogue';
import type { LastValidCatalogue } from '../../application/release-catalogue.ts';

const NAME = 'last-valid.json';

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
      if (end < 0 || text.slice(0, end) !== digestOf(body)) throw new Error(`${path} is damaged`);
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
          await file.writeFile(`${digestOf(body)}\n${body}`);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
  };
};

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const textsOf = ({ product, branches, news, newsUpdated, accepted }: Catalogue): Record<string, string> => ({
  'product.json': JSON.stringify(product),
  'news.json': JSON.stringify({ updated: newsUpdated, items: news }),
  'accepted-findings.json': JSON.stringify({ accepted }),
  ...Object.fromEntries(branches.map((branch) => [`branches/${branch.branch}.json`, JSON.stringify(branch)])),
});
