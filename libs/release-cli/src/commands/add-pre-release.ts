import { addPreRelease, tarballNames, parseBuildVersion } from '@workspace/release-catalogue';
import { dayOption } from '../arguments.ts';
import { DIGEST_OPTIONS, DIGEST_USAGE, readDigests } from '../digests.ts';
import { editCommand } from '../edit-command.ts';
import { UsageError } from '../terminal.ts';

export const addPreReleaseCommand = editCommand({
  summary: 'publish a build for testing: alpha, beta or release candidate',
  usage: `add-pre-release <build, 8.4.26RC1> [options]
${DIGEST_USAGE}
  --date <day>          its date, 2026-08-13; default today (UTC)
  --manager <name>      whose folder it is in; default: the only release manager of the branch
  --new-branch          opens a branch that has no file yet
  --reason <text>       kept in the audit; needed when a number was left out`,
  example: 'add-pre-release 8.4.26RC1 --tarballs ~/build --dry-run',
  subject: 'build',
  options: {
    ...DIGEST_OPTIONS,
    date: { type: 'string' },
    manager: { type: 'string' },
    'new-branch': { type: 'boolean', default: false },
    reason: { type: 'string' },
  },
  read: (build, values, { now, terminal }) => {
    if (!parseBuildVersion(build)) {
      throw new UsageError(
        `"${build}" is not the version of a build, like 8.4.26RC1, 8.6.0alpha2 or 8.6.0beta1.`,
      );
    }
    const date = dayOption(values.date, '--date', now);
    return async (catalogue) => {
      const { digests } = await readDigests(values, tarballNames(catalogue.product, build), terminal);
      const { manager, reason } = values;
      const added = { build, date, manager, digests, newBranch: values['new-branch'], reason };
      return addPreRelease(catalogue, added, now);
    };
  },
});
