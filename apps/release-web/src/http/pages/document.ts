import { createHash } from 'node:crypto';
import { escapeMarkup } from '@workspace/service-kit';
import { daysSince, isStale } from '../../domain/data-age.ts';
import { day } from '../dates.ts';
import type { PageLinks, Site } from '../site.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

const sha256 = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** A stack of releases. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#3747b8"/><path d="M3 4h7v2H3z" fill="#fff"/><path d="M5 7h8v2H5z" fill="#4cc38a"/><path d="M3 10h6v2H3z" fill="#f2b134"/></svg>',
)}`;

/**
 * The pages' Content-Security-Policy: their own style and script and the icon in the page; nothing is fetched.
 * Pages are made of data that people write: should markup in it slip through, it runs nothing.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src ${sha256(STYLE)}`,
  `script-src ${sha256(SCRIPT)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A feed or calendar that programs find by the page. */
export interface Alternate {
  readonly type: string;
  readonly title: string;
  /** absolute */
  readonly href: string;
}

/** What pages depend on besides facts and time. */
export type PageSite = Pick<Site, 'baseUrl' | 'staleDays' | 'links'>;

export interface PageDocument {
  /** of the window, text */
  readonly title: string;
  /** name of the product, text */
  readonly product: string;
  /** the address that search engines keep, absolute */
  readonly canonical: string;
  /** one sentence for search engines and previews, text */
  readonly description: string;
  readonly alternates: readonly Alternate[];
  /** the content, markup */
  readonly main: string;
  /** when the data last changed */
  readonly revision: Date;
  readonly now: Date;
  readonly site: PageSite;
}

/** A page of releases in the site's frame. */
export const pageDocument = (page: PageDocument): string =>
  pageFrame({
    title: page.title,
    links: page.site.links,
    brand: `${page.product} releases`,
    head: `<meta name="description" content="${escapeMarkup(page.description)}">
<link rel="canonical" href="${escapeMarkup(page.canonical)}">
${page.alternates.map(alternateLink).join('\n')}`,
    main: staleNotice(page) + page.main,
    source: `Data of ${day(page.revision)}. Dates are in UTC.`,
  });

const staleNotice = ({ product, revision, now, site }: PageDocument): string =>
  isStale(revision, now, site.staleDays)
    ? `<p class="notice bad" id="stale">The data on this page is from ${day(revision)}, ${daysSince(revision, now)} days ago. Newer releases of ${escapeMarkup(product)} may exist.</p>\n`
    : '';

export interface PageFrame {
  /** of the window, text */
  readonly title: string;
  readonly links: PageLinks;
  /** the name of the site, text */
  readonly brand: string;
  /** what else the head has, markup */
  readonly head: string;
  /** the content, markup */
  readonly main: string;
  /** where the facts come from, markup */
  readonly source: string;
}

/** The site's frame: navigation, content, footer. */
export const pageFrame = ({ title, links, brand, head, main, source }: PageFrame): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(title)}</title>
${head}
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
<script>${SCRIPT}</script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="bar"><nav aria-label="Site"><a class="brand" href="/releases/">${escapeMarkup(brand)}</a>
<a href="/releases/#downloads">Downloads</a> <a href="/releases/all">All releases</a> <a href="/releases/feed.php">Feed</a>${links.calendar ? ` <a href="${links.calendar}">Calendar</a>` : ''} <a href="/docs">API</a></nav></header>
<main id="main">
${main}
</main>
<footer class="foot"><p>${source} For programs: <a href="/docs">API reference</a>.</p></footer>
<div id="status" class="status" role="status"></div>
</body>
</html>
`;

const alternateLink = ({ type, title, href }: Alternate): string =>
  `<link rel="alternate" type="${type}" title="${escapeMarkup(title)}" href="${escapeMarkup(href)}">`;
