// Fetches one target with tuf-js and prints it: metadata URL, targets URL, folder of its state, trusted root, target.
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Updater } from 'tuf-js';

const [metadataBaseUrl, targetBaseUrl, state, root, target] = process.argv.slice(2);
mkdirSync(join(state, 'targets'), { recursive: true });
if (!existsSync(join(state, 'root.json'))) copyFileSync(root, join(state, 'root.json'));
const updater = new Updater({
  metadataDir: state,
  metadataBaseUrl,
  targetDir: join(state, 'targets'),
  targetBaseUrl,
  config: { fetchRetries: 0, fetchRetry: 0 },
});
await updater.refresh();
const info = await updater.getTargetInfo(target);
if (!info) throw new Error(`no target ${target}`);
process.stdout.write(readFileSync(await updater.downloadTarget(info, join(state, 'targets', 'file'))));
