import { parseArgs } from 'node:util';
import { onlyPositional } from './arguments.ts';
import { retire } from './edits/retire.ts';
import { openData, WRITE_OPTIONS } from './publish.ts';
import type { Command } from './terminal.ts';

export const retireCommand: Command = {
  summary: 'take a branch out of the current table when its support has ended',
  usage: 'retire <branch>',
  run: async (args, context) => {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: WRITE_OPTIONS });
    const branch = onlyPositional(positionals, 'branch');
    const { catalogue, publish } = await openData(values, context);
    return publish(retire(catalogue, branch, context.now));
  },
};
