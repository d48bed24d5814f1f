import { posix } from 'node:path';
import type { WorkspaceFiles } from './documents.ts';

export interface LinkOptions {
  readonly files: WorkspaceFiles;
  /** the address under which the repository can be read; without it, links to source files are shown as text */
  readonly repository?: string | undefined;
}

/** The anchor that GitHub gives to a heading: links between the files have to work on both sites. */
export const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/**
 * What a link of a Markdown file is in the site: a page relative to its own, a picture from the root, an address elsewhere, or
 * undefined when nothing can be shown for it.
 * @param source path of the Markdown file
 */
export const siteLink = (
  source: string,
  link: string,
  { files, repository }: LinkOptions,
): string | undefined => {
  if (/^([a-z]+:|#)/i.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = posix.join(posix.dirname(source), path).replace(/\/$/, '');
  const page = files.published.get(target) ?? files.published.get(`${target}/README.md`);
  if (page?.endsWith('.png')) return `/${page}`;
  if (page !== undefined) {
    const from = posix.dirname(files.published.get(source) ?? source);
    const relative = posix.relative(from, page);
    return (relative.startsWith('.') ? relative : `./${relative}`) + (anchor ? `#${anchor}` : '');
  }
  const isFolder = [...files.all].some((file) => file.startsWith(`${target}/`));
  if (!isFolder && !files.all.has(target)) throw new Error(`dead link in ${source}: ${link}`);
  return repository && `${repository}/${isFolder ? 'tree' : 'blob'}/HEAD/${target}`;
};
