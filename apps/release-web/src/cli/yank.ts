import { parseArgs } from 'node:util';
import { dayOption, onlyPositional, required } from './arguments.ts';
import { yank } from './edits/yank.ts';
import { openData, WRITE_OPTIONS } from './publish.ts';
import type { Command } from './terminal.ts';

export const yankCommand: Command = {
  summary: 'withdraw a release: it stays on record and leaves latest, the feed and the active list',
  usage: `yank <version> --reason <text> [options]
  --date <day>          since when, 2026-08-13; default today (UTC)`,
  run: async (args, context) => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { ...WRITE_OPTIONS, date: { type: 'string' }, reason: { type: 'string' } },
    });
    const version = onlyPositional(positionals, 'version');
    const reason = required(values.reason, '--reason');
    const date = dayOption(values.date, '--date', context.now);
    const { catalogue, publish } = await openData(values, context);
    return publish(yank(catalogue, { version, date, reason }, context.now));
  },
};
