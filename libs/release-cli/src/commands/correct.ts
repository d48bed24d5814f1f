import { correct, releasesOf, tarballNames } from '@workspace/release-catalogue';
import { cveOption, dayOption, oneOf, parseMemberOption, required } from '../arguments.ts';
import { DIGEST_OPTIONS, DIGEST_USAGE, readDigests } from '../digests.ts';
import { editCommand } from '../edit-command.ts';
import { verifiedSignatures } from '../signatures.ts';
import { UsageError } from '../terminal.ts';

export const correctCommand = editCommand({
  summary: 'change what was published, for a reason that is recorded',
  usage: `correct <version or build> --reason <text> [options]
${DIGEST_USAGE}
  --date <day>          another date, for the release and its files
  --kind security|bugfix   another kind
  --fixes <CVE id>      what it fixes, replaces what is on record; may be repeated
  --set <pointer>=<json>   sets a member of the release or build, like /published/museum=true; may be repeated
  --remove <pointer>       removes such a member; may be repeated`,
  example: "correct 8.4.26 --reason 'The date was a day late.' --date 2026-11-20",
  subject: 'version',
  options: {
    ...DIGEST_OPTIONS,
    reason: { type: 'string' },
    date: { type: 'string' },
    kind: { type: 'string' },
    fixes: { type: 'string', multiple: true, default: [] },
    set: { type: 'string', multiple: true, default: [] },
    remove: { type: 'string', multiple: true, default: [] },
  },
  read: (version, values, { now, terminal }) => {
    const reason = required(values.reason, '--reason');
    const date = values.date === undefined ? undefined : dayOption(values.date, '--date', now);
    const kind = values.kind === undefined ? undefined : oneOf(values.kind, ['security', 'bugfix'], '--kind');
    const fixes = values.fixes.length > 0 ? cveOption(values.fixes, '--fixes') : undefined;
    const members = [...values.set.map(parseMemberOption), ...values.remove.map((pointer) => ({ pointer }))];
    const fromFiles = values.manifest !== undefined || values.tarballs !== undefined;
    if (!date && !kind && !fixes && !fromFiles && members.length === 0)
      throw new UsageError(
        'Nothing to correct: add an option like --tarballs, --date, --kind, --fixes or --set.',
      );
    return async (catalogue) => {
      const { digests, sizes } = fromFiles
        ? await readDigests(values, tarballNames(catalogue.product, version), terminal)
        : {};
      // Builds have no signatures on record.
      const isRelease = catalogue.branches.some((branch) =>
        releasesOf(branch).some((release) => release.version === version),
      );
      const signatures =
        digests && isRelease
          ? await verifiedSignatures(
              catalogue,
              { version, digests, tarballs: values.tarballs, now },
              terminal,
            )
          : undefined;
      return correct(
        catalogue,
        { version, reason, date, kind, fixes, digests, sizes, signatures, members },
        now,
      );
    };
  },
});
