import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Text without code, whose brackets are no links and whose `#` begin no headings. */
const withoutBlocks = (text: string): string => text.replaceAll(/^ *(```|~~~)[^]*?^ *\1$/gm, '');
const withoutCode = (text: string): string => withoutBlocks(text).replaceAll(/`[^`\n]*`/g, '');

/** The anchor that GitHub gives to a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/\]\([^)]*\)/g, '')
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
const anchorsOf = (file: string): string[] =>
  [...withoutBlocks(readFileSync(file, 'utf8')).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    anchorOf(heading!),
  );

const targetsOf = (text: string): string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)|\b(?:src|href)="([^"]+)"/g)].map(
    ([, link, attribute]) => (link ?? attribute)!,
  );

/**
 * Links and pictures of a Markdown file that lead to a missing file or to a missing heading. Links to other sites are not checked.
 * @param root folder of the repository
 * @param file path of the document in it
 */
export const deadLinks = (root: string, file: string): string[] =>
  targetsOf(readFileSync(join(root, file), 'utf8')).filter((link) => {
    if (/^(https?|mailto):/.test(link)) return false;
    const [path, anchor] = link.split('#');
    const target = path ? join(root, dirname(file), path) : join(root, file);
    return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  });
