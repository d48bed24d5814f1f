import type { Catalogue } from '@workspace/release-catalogue';
import type { Alternate, PageSite } from './document.ts';

/** The feeds and the calendar of the whole site. */
export const siteAlternates = (
  { product }: Catalogue,
  { baseUrl, links }: PageSite,
): readonly Alternate[] => [
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
