// Runs before `npm start` and `npm test` with whatever Node is there, 14 included. Says in one line what to install, or, where npm has
// installed a Node for the workspace, that this one runs instead of the reader's own.
import { existsSync, readFileSync } from 'fs';

const file = (path) => new URL(`../../../${path}`, import.meta.url);
const { engines, optionalDependencies } = JSON.parse(readFileSync(file('package.json'), 'utf8'));
const oldest = engines.node.replace('>=', '');

const isAtLeast = (version, wanted) => {
  const [major, minor] = version.split('.').map(Number);
  const [wantedMajor, wantedMinor = 0] = wanted.split('.').map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
};
const stop = (reason) => {
  console.error(reason);
  process.exit(1);
};

const running = process.versions.node;
// `npm/10.8.2 node/v20.20.2 linux x64 …`: npm, and the Node that runs it, which is the reader's own.
const [, npm = '7', own = running] =
  / *npm\/(\S+) node\/v(\S+)/.exec(process.env.npm_config_user_agent || '') || [];
const newNode = 'install Node.js 24 from https://nodejs.org';

if (!existsSync(file('node_modules/tsx')))
  // npm 6 cannot read the lockfile.
  stop(
    isAtLeast(npm, '7')
      ? 'The packages are not installed: run npm ci first.'
      : `npm ${npm} is too old: ${newNode}, then run npm ci.`,
  );
const node = `node-${process.platform}-${process.arch}`;
if (node in optionalDependencies && !existsSync(file(`node_modules/${node}`)))
  // npm leaves out an optional package whose digest is wrong, and reports success.
  stop(
    `${node} is not installed: npm ci could not fetch it, or it was not the one of package-lock.json. Run npm ci again.`,
  );
if (!isAtLeast(running, oldest))
  stop(`Node.js ${running} is too old: ${newNode} (${oldest} or newer works).`);
if (!isAtLeast(own, oldest))
  console.error(`Node.js ${running}, which npm ci has installed, runs this; yours is ${own}.`);
