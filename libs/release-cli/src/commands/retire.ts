import { editCommand } from '../edit-command.ts';
import { retire } from '@workspace/release-catalogue';

export const retireCommand = editCommand({
  summary: 'take a branch out of the current table when its support has ended',
  usage: 'retire <branch>',
  example: 'retire 8.1 --dry-run',
  subject: 'branch',
  options: {},
  read:
    (branch, _values, { now }) =>
    (catalogue) =>
      retire(catalogue, branch, now),
});
