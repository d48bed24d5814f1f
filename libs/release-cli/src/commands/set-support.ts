import { setSupport } from '@workspace/release-catalogue';
import { dayOption, required } from '../arguments.ts';
import { editCommand } from '../edit-command.ts';
import { UsageError } from '../terminal.ts';

export const setSupportCommand = editCommand({
  summary: 'change when the support of a branch ends',
  usage: `set-support <branch> --reason <text> [options]
  --active <day>        the day from which on only security issues are fixed, 2026-12-31
  --security <day>      the day from which on nothing is fixed`,
  example: "set-support 8.2 --security 2027-06-30 --reason 'Extended by vote.' --dry-run",
  subject: 'branch',
  options: { active: { type: 'string' }, security: { type: 'string' }, reason: { type: 'string' } },
  read: (branch, values, { now }) => {
    const reason = required(values.reason, '--reason');
    const day = (name: 'active' | 'security') =>
      values[name] === undefined ? undefined : dayOption(values[name], `--${name}`, now);
    const [active, security] = [day('active'), day('security')];
    if (!active && !security) throw new UsageError('Nothing to change: add --active, --security or both.');
    return (catalogue) => setSupport(catalogue, { branch, active, security, reason }, now);
  },
});
