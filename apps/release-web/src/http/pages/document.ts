import { escapeMarkup } from '@workspace/service-kit';
import { pageMarkup, pagePolicy, staleNotice } from '@workspace/service-kit/pages';
import { daysSince, isStale } from '../../domain/utc-day.ts';
import { day } from '../dates.ts';
import type { Site } from '../site.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';
import type { Catalogue } from '@workspace/release-catalogue';

/** A stack of releases. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b5cad"/><path d="M3 4h7v2H3z" fill="#fff"/><path d="M5 7h8v2H5z" fill="#4cc38a"/><path d="M3 10h6v2H3z" fill="#f2b134"/></svg>',
)}`;

/** The pages' Content-Security-Policy. */
export const PAGE_POLICY = pagePolicy({ style: STYLE, script: SCRIPT });

/** A feed or calendar that programs find by the page. */
interface Alternate {
  readonly type: string;
  readonly title: string;
  /** absolute */
  readonly href: string;
}

/** What pages depend on besides facts and time. */
export type PageSite = Pick<Site, 'baseUrl' | 'settings' | 'links' | 'version'>;

interface PageDocument {
  /** of the window, text */
  readonly title: string;
  /** the address that search engines keep, on this site */
  readonly path: string;
  /** one sentence for search engines and previews, text */
  readonly description: string;
  /** besides those of the whole site */
  readonly alternates?: readonly Alternate[];
  /** the content, markup */
  readonly main: string;
  readonly catalogue: Catalogue;
  readonly now: Date;
  readonly site: PageSite;
}

/** A page of releases in the site's frame. */
export const pageDocument = (page: PageDocument): string =>
  pageFrame({
    title: page.title,
    site: page.site,
    brand: `${page.catalogue.product.name} releases`,
    head: `<meta name="description" content="${escapeMarkup(page.description)}">
<link rel="canonical" href="${escapeMarkup(page.site.baseUrl + page.path)}">
${[...(page.alternates ?? []), ...siteAlternates(page)].map(alternateLink).join('\n')}`,
    main: noticeOf(page) + page.main,
    source: `Data of ${day(page.catalogue.revision)}. Dates are in UTC.`,
  });

const noticeOf = ({ catalogue: { product, revision }, now, site }: PageDocument): string =>
  isStale(revision, now, site.settings.DATA_STALE_DAYS)
    ? staleNotice(
        revision,
        (date) =>
          `The data on this page is from ${date}, ${daysSince(revision, now)} days ago. Newer releases of ${escapeMarkup(product.name)} may exist.`,
      )
    : '';

export interface PageFrame {
  /** of the window, text */
  readonly title: string;
  readonly site: PageSite;
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
export const pageFrame = ({ title, site, brand, head, main, source }: PageFrame): string =>
  pageMarkup({
    title,
    header: {
      name: brand,
      version: site.version,
      root: '/',
      home: '/releases/',
      links: {
        'releases/#downloads': 'Downloads',
        'releases/all': 'All releases',
        'releases/feed.php': 'Feed',
        ...(site.links.calendar && { [site.links.calendar.slice(1)]: 'Calendar' }),
      },
      // An export has the same pages, and no service.
      hasHealth: false,
    },
    icon: ICON,
    head: `${head}\n`,
    style: STYLE,
    script: SCRIPT,
    main,
    foot: `<p>${source} For programs: <a href="/docs">API reference</a>.</p><div id="status" class="status" role="status"></div>`,
  });

const alternateLink = ({ type, title, href }: Alternate): string =>
  `<link rel="alternate" type="${type}" title="${escapeMarkup(title)}" href="${escapeMarkup(href)}">`;

/** The feeds and the calendar of the whole site. */
const siteAlternates = ({
  catalogue: { product },
  site: { baseUrl, links },
}: PageDocument): readonly Alternate[] => [
  { type: 'application/atom+xml', title: product.feed.title, href: `${baseUrl}/releases/feed.php` },
  { type: 'application/feed+json', title: product.feed.title, href: `${baseUrl}/releases/feed.json` },
  ...(links.calendar === undefined
    ? []
    : [
        {
          type: 'text/calendar',
          title: `${product.name} support schedule`,
          href: baseUrl + links.calendar,
        },
      ]),
];
