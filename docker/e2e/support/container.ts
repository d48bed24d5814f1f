import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Running, start } from './process.ts';
import { eventually } from './wait.ts';

/** The parts of an image's configuration that say how it is run. */
export interface ImageConfig {
  readonly User: string;
  readonly WorkingDir: string;
  readonly Cmd: readonly string[];
  readonly Env: readonly string[];
  readonly ExposedPorts: Readonly<Record<string, unknown>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly Labels: Readonly<Record<string, string>>;
}

export interface Image {
  readonly id: string;
  readonly config: ImageConfig;
  /** the image's files, to look at */
  readonly root: string;
  remove(): void;
}

const script = (name: string) => join('images', name);

/** buildah on the tests' own store. */
export const buildah = (...args: string[]): string =>
  execFileSync('sh', [script('buildah.sh'), ...args], { encoding: 'utf8', maxBuffer: 1e8 }).trim();

/** One file, folder or link of an image, as a layer would hold it. */
export interface Entry {
  path: string;
  mode: number;
  owner: string;
  modified: number;
  /** hash of a file's content, aim of a link */
  content: string;
}

/** Everything below a folder of an image, the folder itself included, in order. */
export function entriesOf(root: string, folder: string): Entry[] {
  const below = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return [folder, ...below.map((name) => join(folder, name))].sort().map((path) => {
    const file = join(root, path);
    const { mode, uid, gid, mtimeMs: modified } = lstatSync(file);
    const content = () => {
      if ((mode & constants.S_IFMT) === constants.S_IFLNK) return readlinkSync(file);
      if ((mode & constants.S_IFMT) !== constants.S_IFREG) return '';
      return createHash('sha256').update(readFileSync(file)).digest('hex');
    };
    return { path, mode, owner: `${uid}:${gid}`, modified, content: content() };
  });
}

/** Opens an image of the store; `remove` lets it go again. */
export function openImage(name: string): Image {
  const { FromImageID: id, Docker } = JSON.parse(buildah('inspect', '--type', 'image', name)) as {
    FromImageID: string;
    Docker: { config: ImageConfig };
  };
  const container = buildah('from', '--pull-never', name);
  return {
    id,
    config: Docker.config,
    root: buildah('mount', container),
    remove: () => void buildah('rm', container),
  };
}

/** Process ids of the children of a process. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** A container: the image's command as its process 1. `end` sends the signal to that process. */
export interface Container extends Running {
  /** runs a command inside, as HEALTHCHECK does; resolves with its exit code */
  exec(args: readonly string[]): Promise<number | null>;
}

/**
 * Runs an image without a daemon: namespaces of its own for processes, mounts, IPC and host name, the root file system
 * read-only with an empty /tmp, the image's user without any capability, environment and command of the image.
 * The network is the machine's, so that a broker on it can be reached.
 */
export async function runImage(
  { config, root }: Image,
  environment: Record<string, string>,
  args: readonly string[] = config.Cmd,
): Promise<Container> {
  const env = [...config.Env, ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)];
  const inside = (words: readonly string[]) => [
    ...['setpriv', '--no-new-privs', 'chroot', `--userspec=${config.User}`, root],
    ...['/usr/bin/env', '-i', '-C', config.WorkingDir, ...env, ...words],
  ];
  const mounts = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount -t proc proc "$1/proc"';
  const shell = `${mounts} && mount --bind /dev "$1/dev" && mount -t tmpfs tmpfs "$1/tmp" && shift && exec "$@"`;
  const outside = start({
    command: 'unshare',
    args: [
      ...['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child', 'sh', '-ec', shell, 'sh', root],
      ...inside(args),
    ],
  });
  const pid = await eventually('process in the container', () => {
    if (!outside.running()) throw new Error(outside.output());
    return childrenOf(outside.pid)[0];
  });
  return {
    ...outside,
    pid,
    end: (signal = 'SIGTERM') => outside.end(signal, pid),
    exec: async (words) => {
      const enter = ['--target', String(pid), '--mount', '--pid', '--ipc', '--uts'];
      const ran = start({ command: 'nsenter', args: [...enter, ...inside(words)] });
      return (await ran.ended).code;
    },
  };
}
