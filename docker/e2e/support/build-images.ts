import { execFileSync } from 'node:child_process';

/** Builds the images that the stacks start, once for all suites; what did not change comes from the cache. */
const buildImages = (): void => {
  const began = Date.now();
  execFileSync('docker', ['compose', '--env-file', '/dev/null', 'build', '--quiet'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  console.log(`images built in ${Math.round((Date.now() - began) / 1000)} s`);
};

export default buildImages;
