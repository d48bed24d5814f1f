import { posix } from 'node:path';
import { renderMermaidSVG } from 'beautiful-mermaid';
import type { MarkdownRenderer } from 'vitepress';
import { addBars } from './bars.ts';
import type { WorkspaceFiles } from './documents.ts';
import { type LinkOptions, siteLink } from './links.ts';

const ATTRIBUTE = /\b(src|srcset|href)=(["'])([^"']+)\2/g;

/** Makes the links and pictures of Markdown files work in the site, and draws diagrams of Mermaid. */
export const workspaceMarkdown = (
  md: MarkdownRenderer,
  { base, ...options }: LinkOptions & { readonly base: string },
): void => {
  const sources = sourcesByPage(options.files);
  /** VitePress knows the pictures in HTML, but not the links. */
  const inHtml = (source: string, html: string): string =>
    html.replaceAll(ATTRIBUTE, (_all, name: string, quote: string, link: string) => {
      const target = siteLink(source, link, options) ?? '#';
      return `${name}=${quote}${name === 'href' ? addressFrom(source, target) : target}${quote}`;
    });
  const addressFrom = (source: string, target: string): string => {
    if (/^([a-z]+:|#)/.test(target)) return target;
    const page = target.startsWith('/')
      ? target
      : posix.join('/', posix.dirname(options.files.published.get(source)!), target);
    return posix.join(base, page.replace(/\/index\.md/, '/').replace(/\.md/, '.html'));
  };

  md.core.ruler.push('workspace-links', ({ tokens, env }) => {
    const source = sources.get((env as { relativePath: string }).relativePath);
    if (source === undefined) return;
    for (const token of tokens.flatMap((one) => [one, ...(one.children ?? [])])) {
      const attribute = { link_open: 'href', image: 'src' }[token.type];
      if (attribute !== undefined) {
        const target = siteLink(source, token.attrGet(attribute)!, options);
        if (target !== undefined) token.attrSet(attribute, target);
        else Object.assign(token, { tag: 'span', attrs: [] });
      }
      if (token.type === 'html_inline' || token.type === 'html_block')
        token.content = inHtml(source, bySwitch(token.content));
    }
    closeAsOpened(tokens.flatMap(({ children }) => children ?? []));
  });

  md.core.ruler.push('bars', ({ tokens }) => addBars(tokens));

  const fence = md.renderer.rules.fence!;
  md.renderer.rules.fence = (tokens, index, ...more) => {
    const { info, content } = tokens[index]!;
    if (info.trim() !== 'mermaid') return fence(tokens, index, ...more);
    // In an attribute, because Vue takes no styles in a template.
    const svg = md.utils.escapeHtml(JSON.stringify(diagram(content)));
    return `<div class="diagram" role="figure" aria-label="Diagram" tabindex="0" v-html="${svg}"></div>`;
  };
};

/** Draws a diagram of Mermaid in the font and the colours of the site. @throws when it is not one */
const diagram = (text: string): string =>
  renderMermaidSVG(text, {
    font: 'Inter',
    bg: 'var(--vp-c-bg)',
    fg: 'var(--vp-c-text-1)',
    muted: 'var(--vp-c-text-2)',
    line: 'var(--vp-c-text-2)',
    border: 'var(--vp-c-text-2)',
    surface: 'var(--vp-c-bg-soft)',
    transparent: true,
    padding: 4,
    nodeSpacing: 12,
    layerSpacing: 24,
    // The site has the font.
  }).replace(/@import.*/, '');

const PICTURE =
  /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img src="([^"]+)"([^>]*)>\s*<\/picture>/g;

/** Pictures for a dark screen follow the switch of the site, which `prefers-color-scheme` knows nothing of. */
const bySwitch = (html: string): string =>
  html.replaceAll(PICTURE, '<img class="on-dark" src="$1"$3>\n<img class="on-light" src="$2"$3>');

const sourcesByPage = ({ published }: WorkspaceFiles): ReadonlyMap<string, string> =>
  new Map([...published].map(([source, page]) => [page, source]));

/** Links are not nested, so each end belongs to the last beginning. */
const closeAsOpened = (tokens: readonly { type: string; tag: string }[]): void => {
  let tag = 'a';
  for (const token of tokens) {
    if (token.type === 'link_open') tag = token.tag;
    if (token.type === 'link_close') token.tag = tag;
  }
};
