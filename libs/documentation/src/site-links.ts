import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

const unescape = (text: string): string => text.replaceAll('&amp;', '&').replaceAll('&#39;', "'");
const attributes = (html: string, names: string): string[] =>
  [...html.matchAll(new RegExp(`\\s(?:${names})="([^"]*)"`, 'g'))].map(([, value]) => unescape(value!));

/**
 * Links, pictures and scripts in the pages of a built site that lead to no file of it, or to no place in a page.
 * @param base the path under which the site is served
 */
export const deadSiteLinks = (folder: string, base = '/'): string[] => {
  const pages = globSync('**/*.html', { cwd: folder });
  const anchors = new Map(
    pages.map((page) => [page, new Set(attributes(readFileSync(join(folder, page), 'utf8'), 'id'))]),
  );
  return pages.flatMap((page) =>
    attributes(readFileSync(join(folder, page), 'utf8'), 'href|src').flatMap((link) => {
      if (/^[a-z]+:/i.test(link)) return [];
      const { pathname, hash } = new URL(link, `http://site${base}${page}`);
      const inSite = pathname.startsWith(base) ? decodeURI(pathname.slice(base.length)) : undefined;
      const target = inSite === undefined ? undefined : fileOf(folder, inSite);
      const isThere =
        target !== undefined && (hash === '' || anchors.get(target)?.has(decodeURIComponent(hash.slice(1))));
      return isThere ? [] : [`${page}: ${link}`];
    }),
  );
};

/** The file that is served for a path: that of a folder is its index. */
const fileOf = (folder: string, path: string): string | undefined => {
  const file = posix.normalize(path.endsWith('/') || path === '' ? `${path}index.html` : path);
  const full = join(folder, file);
  return existsSync(full) && statSync(full).isFile() ? file : undefined;
};
