import { runTool } from '@workspace/testing';

/** What a script that builds images finds for a branch. */
export interface FoundVersion {
  readonly version: string;
  readonly file: string;
  readonly sha256: string;
}

/** Sorts what php.net answers like docker-library/php: the newest release, or the newest build to test, of a branch. */
const FIND = `
  set -euo pipefail
  export branch="$2"
  case "$3" in
    release)
      curl -fsSL "$1/releases/index.php?json&max=100&version=\${branch%%.*}&cachebuster=1" |
        jq --raw-output '(keys[] | select(startswith(env.branch + "."))) as $version
          | [ $version, (.[$version].source[] | select(.filename | endswith(".xz")) | .filename, .sha256 // "") ] | @tsv' ;;
    *)
      curl -fsSL "$1/pre-release-builds.php?format=json&cachebuster=1" |
        jq --raw-output '(.releases // [])[] | select(.version | startswith(env.branch + "."))
          | [ .version, .files.xz.path // "", .files.xz.sha256 // "" ] | @tsv' ;;
  esac | sort -rV
`;

/** @returns undefined when there is nothing to build */
export const dockerLibrary = async (
  site: string,
  branch: string,
  what: 'release' | 'build',
): Promise<FoundVersion | undefined> => {
  const found = await runTool('bash', ['-c', FIND, 'bash', site, branch, what]);
  const [version = '', file = '', sha256 = ''] = (found.split('\n')[0] ?? '').split('\t');
  return version === '' ? undefined : { version, file, sha256 };
};
