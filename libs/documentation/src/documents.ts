import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The folder that holds nx.json. VitePress bundles its configuration, in which the paths of tsconfig.json mean nothing. */
export const workspaceRoot = join(import.meta.dirname, '../../..');

/** Where the pages are put together for VitePress. */
export const stagingFolder = join(workspaceRoot, 'tmp/documentation');

/** The site. */
export const siteFolder = join(workspaceRoot, 'dist/libs/documentation');

/** Markdown files that are no page of the site, and why. */
export const NOT_A_PAGE: Readonly<Record<string, string>> = {
  '.github/pull_request_template.md': 'the form that GitHub shows for a new pull request',
};

export interface WorkspaceFiles {
  /** all files that git has or would add */
  readonly all: ReadonlySet<string>;
  /** the page or picture in the site by the file in the workspace */
  readonly published: ReadonlyMap<string, string>;
}

/**
 * Where a file of the workspace is in the site: `apps/ops-intake/docs/kafka.md` is `ops-intake/kafka.md`. Folders that say only
 * what kind of file is in them are left out.
 */
export const publishedPath = (file: string): string => {
  const folders = posix.dirname(file).split('/');
  const name = posix.basename(file);
  const kept = folders.filter((folder) => !['.', '.github', 'apps', 'docs'].includes(folder));
  return [...kept, name === 'README.md' ? 'index.md' : name.toLowerCase()].join('/');
};

export const workspaceFiles = (): WorkspaceFiles => {
  const all = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: workspaceRoot,
    encoding: 'utf8',
    maxBuffer: 1e9,
  })
    .split('\n')
    .filter(Boolean);
  const published = all.filter((file) => /\.(md|png)$/.test(file) && !(file in NOT_A_PAGE));
  return {
    all: new Set(all),
    published: new Map(published.map((file) => [file, publishedPath(file)])),
  };
};

/** The first heading of a Markdown file. */
export const titleOf = (file: string): string => {
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(workspaceRoot, file), 'utf8')) ?? [];
  if (title === undefined) throw new Error(`${file} has no title: begin it with a heading`);
  return title;
};
