import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { editorSchemas, replaceFile } from '@workspace/release-catalogue';
import type { Command } from '../terminal.ts';

export const schemasCommand: Command = {
  summary: 'write the JSON Schemas for editors into schemas/',
  usage: 'schemas [--data <folder>]',
  options: ['data'],
  afterFailure: 'The schemas are incomplete: run the command again.',
  example: 'schemas --data data',
  run: async (args, { folder, terminal }) => {
    const { values } = parseArgs({ args, options: { data: { type: 'string' } } });
    const target = join(values.data ?? folder, 'schemas');
    await mkdir(target, { recursive: true });
    for (const [name, text] of editorSchemas()) await replaceFile(join(target, name), text);
    terminal.note(`${target} written`);
    return 0;
  },
};
