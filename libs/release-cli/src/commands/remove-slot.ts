import { removeSlot } from '@workspace/release-catalogue';
import { required, versionArgument } from '../arguments.ts';
import { editCommand } from '../edit-command.ts';

export const removeSlotCommand = editCommand({
  summary: 'remove the pre-release slot of a version that will not come',
  usage: 'remove-slot <version> --reason <text>',
  example: "remove-slot 8.5.111 --reason 'A slip of the pen.' --dry-run",
  subject: 'version',
  options: { reason: { type: 'string' } },
  read: (subject, values, { now }) => {
    const version = versionArgument(subject);
    const reason = required(values.reason, '--reason');
    return (catalogue) => removeSlot(catalogue, version, reason, now);
  },
});
