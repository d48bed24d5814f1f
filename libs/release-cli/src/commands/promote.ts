import { tarballNames, promote } from '@workspace/release-catalogue';
import { cveOption, dayOption, oneOf, required, versionArgument } from '../arguments.ts';
import { DIGEST_OPTIONS, DIGEST_USAGE, readDigests } from '../digests.ts';
import { editCommand } from '../edit-command.ts';
import { verifiedSignatures } from '../signatures.ts';
import { UsageError } from '../terminal.ts';

export const promoteCommand = editCommand({
  summary: 'publish a release: the current one moves into the history, the pre-release slot is cleared',
  usage: `promote <version> --kind security|bugfix [options]
${DIGEST_USAGE}
  --fixes <CVE id>      what it fixes; may be repeated, and is needed for --kind security
  --date <day>          its date, 2026-08-13; default today (UTC)
  --unannounced         no page announces it
  --next <version>      opens the slot of the next version
  --reason <text>       kept in the audit; needed when a number was left out, such as X.Y.0`,
  example: 'promote 8.4.26 --kind bugfix --tarballs ~/build',
  subject: 'version',
  options: {
    ...DIGEST_OPTIONS,
    kind: { type: 'string' },
    fixes: { type: 'string', multiple: true, default: [] },
    date: { type: 'string' },
    unannounced: { type: 'boolean', default: false },
    next: { type: 'string' },
    reason: { type: 'string' },
  },
  read: (subject, values, { now, terminal }) => {
    const version = versionArgument(subject);
    const next = values.next === undefined ? undefined : versionArgument(values.next);
    const kind = oneOf(required(values.kind, '--kind'), ['security', 'bugfix'], '--kind');
    const fixes = cveOption(values.fixes, '--fixes');
    if (kind === 'security' && fixes.length === 0) {
      throw new UsageError('A security release names what it fixes: add --fixes CVE-….');
    }
    if (kind === 'bugfix' && fixes.length > 0) {
      throw new UsageError('A release that fixes CVEs is of --kind security.');
    }
    const date = dayOption(values.date, '--date', now);
    return async (catalogue) => {
      const { digests, sizes } = await readDigests(
        values,
        tarballNames(catalogue.product, version),
        terminal,
      );
      const signatures = await verifiedSignatures(
        catalogue,
        { version, digests, tarballs: values.tarballs, now },
        terminal,
      );
      const { unannounced, reason } = values;
      return promote(
        catalogue,
        { version, kind, fixes, date, digests, sizes, signatures, announced: !unannounced, next, reason },
        now,
      );
    };
  },
});
