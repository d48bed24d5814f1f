import { parseArgs } from 'node:util';
import { archiveNames } from '../domain/archive.ts';
import { dayOption, onlyPositional } from './arguments.ts';
import { DIGEST_OPTIONS, DIGEST_USAGE, readDigests } from './digests.ts';
import { addPreRelease, parseBuild } from './edits/add-pre-release.ts';
import { openData, WRITE_OPTIONS } from './publish.ts';
import type { Command } from './terminal.ts';

export const addPreReleaseCommand: Command = {
  summary: 'publish a build for testing: alpha, beta or release candidate',
  usage: `add-pre-release <build, 8.4.26RC1> [options]
${DIGEST_USAGE}
  --date <day>          its date, 2026-08-13; default today (UTC)
  --manager <name>      whose folder it lies in; default the branch's only manager
  --new-branch          opens a branch that has no file yet
  --reason <text>       kept in the audit; needed when a number was left out`,
  run: async (args, context) => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...WRITE_OPTIONS,
        ...DIGEST_OPTIONS,
        date: { type: 'string' },
        manager: { type: 'string' },
        'new-branch': { type: 'boolean', default: false },
        reason: { type: 'string' },
      },
    });
    const build = onlyPositional(positionals, 'build');
    parseBuild(build);
    const date = dayOption(values.date, '--date', context.now);
    const { catalogue, publish } = await openData(values, context);
    const digests = await readDigests(values, archiveNames(catalogue.product, build), context.terminal);
    const { manager, reason } = values;
    const added = { build, date, manager, digests, newBranch: values['new-branch'], reason };
    return publish(addPreRelease(catalogue, added, context.now));
  },
};
