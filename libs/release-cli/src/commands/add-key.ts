import { addKey } from '@workspace/release-catalogue';
import { editCommand } from '../edit-command.ts';
import { readPublicKeys } from '../signatures.ts';
import { CommandRejected, UsageError } from '../terminal.ts';

export const addKeyCommand = editCommand({
  summary: 'put the public key of a release manager on record: from then on, releases have to be signed',
  usage: `add-key <file> [options]
  <file> is what gpg --export --armor <fingerprint> writes. A key that is on record already needs no options.
  --manager <name>      whose key it is
  --branch <branch>     whose releases it signs; may be repeated`,
  example: 'add-key calvinb.asc --manager calvinb --branch 8.4',
  subject: 'file',
  options: {
    manager: { type: 'string' },
    branch: { type: 'string', multiple: true, default: [] },
  },
  read: (file, { manager, branch: branches }, { now }) => {
    const wrong = branches.find((branch) => !/^\d+\.\d+$/.test(branch));
    if (wrong !== undefined) throw new UsageError(`--branch must be a branch like 8.4, not "${wrong}".`);
    return async (catalogue) => {
      const [key, ...others] = await readPublicKeys(file);
      if (!key || others.length > 0) throw new CommandRejected(`${file} does not hold one key.`);
      const [fingerprint, publicKey] = key;
      return addKey(catalogue, { fingerprint, publicKey, manager, branches }, now);
    };
  },
});
