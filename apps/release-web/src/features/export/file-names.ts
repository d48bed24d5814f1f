import type { ExportRequest } from './export-requests.ts';

const ENDINGS: readonly (readonly [type: string, ending: string])[] = [
  ['text/html', 'html'],
  ['application/json', 'json'],
];

/**
 * The files of answers: the path itself where that can be a file; `index.html` or `index.json` in it where it is a folder. A
 * query follows after a comma, its parameters separated by commas: `?` and `&` would have to be escaped in an address.
 * @param paths all paths of the export
 */
export const fileNaming = (paths: Iterable<string>) => {
  const folders = new Set<string>();
  for (const path of paths) {
    const parts = path.split('/');
    for (let end = 2; end < parts.length; end++) folders.add(parts.slice(0, end).join('/'));
  }
  return ({ path, query }: ExportRequest, contentType: string): string => {
    const ending = ENDINGS.find(([type]) => contentType.startsWith(type))?.[1] ?? 'txt';
    const isFolder = path.endsWith('/') || folders.has(path);
    const file = isFolder ? `${path.replace(/\/$/, '')}/index.${ending}` : path;
    // Servers look for files by decoded names.
    return decodeURIComponent(file.slice(1) + (query === '' ? '' : `,${query.replaceAll('&', ',')}`));
  };
};
