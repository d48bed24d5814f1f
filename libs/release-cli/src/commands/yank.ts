import { dayOption, required } from '../arguments.ts';
import { editCommand } from '../edit-command.ts';
import { yank } from '@workspace/release-catalogue';

export const yankCommand = editCommand({
  summary: 'withdraw a release or a build: it stays on record but is not offered any more',
  usage: `yank <version or build> --reason <text> [options]
  --date <day>          the day, 2026-08-13; default today (UTC)`,
  example: "yank 8.4.26 --reason 'Sessions are lost.' --dry-run",
  subject: 'version',
  options: { date: { type: 'string' }, reason: { type: 'string' } },
  read: (version, values, { now }) => {
    const reason = required(values.reason, '--reason');
    const date = dayOption(values.date, '--date', now);
    return (catalogue) => yank(catalogue, { version, date, reason }, now);
  },
});
