import { addWindows } from '@workspace/release-catalogue';
import { required, versionArgument } from '../arguments.ts';
import { editCommand } from '../edit-command.ts';
import { readWindowsBuilds } from '../import/windows-index.ts';

export const addWindowsCommand = editCommand({
  summary: 'put the builds for Windows of a release on record',
  usage: `add-windows <version> --index <file or address> [options]
  --index <index>       a releases.json like that of https://downloads.php.net/~windows/releases/`,
  example: 'add-windows 8.4.26 --index https://downloads.php.net/~windows/releases/releases.json',
  subject: 'version',
  options: { index: { type: 'string' } },
  read: (subject, values, { now }) => {
    const version = versionArgument(subject);
    const index = required(values.index, '--index');
    return async (catalogue) =>
      addWindows(catalogue, { version, builds: await readWindowsBuilds(index, version) }, now);
  },
});
