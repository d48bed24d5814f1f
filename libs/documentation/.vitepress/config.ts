import { type DefaultTheme, defineConfig } from 'vitepress';
import { accessibleTheme } from '../src/accessible-theme.ts';
import {
  publishedPath,
  siteFolder,
  stagingFolder,
  titleOf,
  workspaceFiles,
  workspaceRoot,
} from '../src/documents.ts';
import { anchorOf } from '../src/links.ts';
import { workspaceMarkdown } from '../src/markdown.ts';
import { SIDEBAR, type SidebarGroup, type SidebarPage } from '../src/sidebar.ts';

// Set by the workflow that publishes the site: the path under which it is served, and where the source files are.
const { DOCS_BASE: base = '/', DOCS_REPOSITORY: repository } = process.env;
const files = workspaceFiles();
const products = SIDEBAR.map(({ title }) => title);

const addressOf = (page: string): string =>
  `/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html')}`;
const entryOf = (entry: SidebarPage | SidebarGroup): DefaultTheme.SidebarItem => {
  if (typeof entry === 'string') {
    const text =
      entry.startsWith('apps/') && /^apps\/[^/]+\/README/.test(entry) ? 'Overview' : titleOf(entry);
    return { text, link: addressOf(publishedPath(entry)) };
  }
  return 'pages' in entry
    ? { text: entry.title, collapsed: true, items: entry.pages.map(entryOf) }
    : // With a target, the browser loads it: it is no page of VitePress, which adds the base only to pages.
      { text: entry.title, link: (entry.file.endsWith('.html') ? '/' : base) + entry.file, target: '_self' };
};
/** Several products have a page with the same title, such as Settings. */
const productOf = (page: string): string | undefined =>
  products.find((product) => page.startsWith(`${product}/`));

export default defineConfig({
  lang: 'en',
  title: 'Three services',
  description: 'release-web, ops-intake and ip-locate: how to use, run and change them.',
  base,
  srcDir: stagingFolder,
  outDir: siteFolder,
  cacheDir: `${workspaceRoot}/.cache/vitepress`,
  metaChunk: true,
  // No icon: without this line, browsers ask for /favicon.ico.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // The services of whoever reads the page: nothing that a build can look at.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => workspaceMarkdown(md, { files, base, repository }),
  },
  vite: { plugins: [accessibleTheme()] },
  transformPageData: ({ relativePath, title }) => {
    const product = productOf(relativePath);
    return product === undefined || title.includes(product) ? {} : { title: `${title} of ${product}` };
  },
  themeConfig: {
    nav: SIDEBAR.slice(1, 5).map(({ title, pages: [first] }) => ({
      text: title,
      link: addressOf(publishedPath(String(first))),
    })),
    sidebar: SIDEBAR.map((group) => ({ ...entryOf(group), collapsed: false })),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        _render: (source, env, md) => {
          const html = md.render(source, env);
          const product = productOf(env.relativePath as string);
          return product === undefined ? html : html.replace(/(<h1[^>]*>)/, `$1${product}: `);
        },
      },
    },
    ...(repository && { socialLinks: [{ icon: 'github', link: repository }] }),
  },
});
