// Starts a build once, asks it for one path, stops it, and so leaves V8's bytecode of what a start runs in its folder
// compile-cache/: node compile-cache.js dist/apps/APP /health/live
//
// Node names the folder after its version, its processor and the user, and uses the bytecode for these only; it compiles
// as usual for others.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder, path] = process.argv.slice(2);
/** As in the images. */
const USER = 1000;

const cache = join(folder, 'compile-cache');
mkdirSync(cache);
chownSync(cache, USER, USER);
const service = spawn(
  process.execPath,
  // The seed of V8's hash tables: with the same one, builds of the same files give the same bytecode.
  ['--random-seed=1', join(folder, 'main.js')],
  {
    uid: USER,
    gid: USER,
    env: { PORT: '0', DRAIN_DELAY_MS: '0', KAFKA_BOOTSTRAP_SERVERS: '127.0.0.1:9' },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
const exited = once(service, 'exit');
for await (const line of createInterface(service.stdout)) {
  const { msg, address } = JSON.parse(line);
  if (msg !== 'ready for requests') continue;
  await (await fetch(address + path)).arrayBuffer();
  service.kill('SIGTERM');
}
const [code] = await exited;
const files = readdirSync(cache, { recursive: true, withFileTypes: true });
if (code !== 0 || !files.some((entry) => entry.isFile())) {
  throw new Error(`the service ended with ${code} and left ${files.length} files`);
}
// Node lets only the user read them, and the image gives them to root.
for (const entry of files) {
  chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
}
