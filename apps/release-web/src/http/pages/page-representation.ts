import type { Prepare } from '../rendering/answers.ts';
import { daily } from '../rendering/daily.ts';
import { Representation } from '../rendering/representation.ts';
import { PAGE_POLICY, type PageSite } from './document.ts';
import { releasesPage } from './releases-page.ts';

/** A page with its Content-Security-Policy. */
export const pageRepresentation = (html: string): Representation =>
  new Representation('text/html; charset=utf-8', html, { policy: PAGE_POLICY });

/** The page of all releases, at the front and at php.net's path. It shows today. */
export const releasesPageOf =
  (site: PageSite): Prepare<(now: Date) => Representation> =>
  ({ catalogue }, cache) =>
  (now) =>
    daily(cache, 'releases', now, (today) =>
      pageRepresentation(releasesPage(catalogue, today, site)).popular(),
    );
