import type { TSchema } from '@sinclair/typebox';
import { AcceptedFindingsFile } from './accepted-findings-file.ts';
import { BranchFile } from './branch-file.ts';
import { NewsFile } from './news-file.ts';
import { ProductFile } from './product-file.ts';

const KINDS: readonly TSchema[] = [AcceptedFindingsFile, BranchFile, NewsFile, ProductFile];

/**
 * The JSON Schemas that data files name in `$schema`, so that an editor completes and checks them. Made of the very
 * schemas the loader checks with.
 * @returns text by file name
 */
export const editorSchemas = (): ReadonlyMap<string, string> =>
  new Map(
    KINDS.map(({ $id, ...schema }) => [
      `${$id}.schema.json`,
      `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema }, null, 2)}\n`,
    ]),
  );
