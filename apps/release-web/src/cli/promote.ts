import { parseArgs } from 'node:util';
import { archiveNames } from '../domain/archive.ts';
import { dayOption, oneOf, required, versionArgument } from './arguments.ts';
import { DIGEST_OPTIONS, DIGEST_USAGE, readDigests } from './digests.ts';
import { promote } from './edits/promote.ts';
import { openData, WRITE_OPTIONS } from './publish.ts';
import type { Command } from './terminal.ts';

export const promoteCommand: Command = {
  summary: 'publish a release: current goes into the history, the pre-release slot is cleared',
  usage: `promote <version> --kind security|bugfix [options]
${DIGEST_USAGE}
  --date <day>          its date, 2026-08-13; default today (UTC)
  --unannounced         there is no page about it
  --next <version>      opens the slot of the next version
  --reason <text>       kept in the audit`,
  run: async (args, context) => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...WRITE_OPTIONS,
        ...DIGEST_OPTIONS,
        kind: { type: 'string' },
        date: { type: 'string' },
        unannounced: { type: 'boolean', default: false },
        next: { type: 'string' },
        reason: { type: 'string' },
      },
    });
    const version = versionArgument(positionals);
    if (values.next !== undefined) versionArgument([values.next]);
    const kind = oneOf(required(values.kind, '--kind'), ['security', 'bugfix'], '--kind');
    const date = dayOption(values.date, '--date', context.now);
    const { catalogue, publish } = await openData(values, context);
    const digests = await readDigests(values, archiveNames(catalogue.product, version), context.terminal);
    const { next, reason } = values;
    const promotion = { version, kind, date, digests, announced: !values.unannounced, next, reason };
    return publish(promote(catalogue, promotion, context.now));
  },
};
