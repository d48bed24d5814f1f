import { escapeMarkup } from '@workspace/service-kit';
import { type Catalogue, releasesOf } from '@workspace/release-catalogue';
import { branchPath } from '../../domain/paths.ts';
import { pageDocument, type PageSite } from './document.ts';
import { releaseRows, releaseTable } from './release-table.ts';

/** `/releases/all`: every release for people, which a browser can search. */
export const allReleasesPage = (catalogue: Catalogue, now: Date, site: PageSite): string => {
  const { name } = catalogue.product;
  const label = escapeMarkup(name);
  const branches = catalogue.branches.filter((branch) => releasesOf(branch).length > 0).reverse();
  const count = branches.flatMap(releasesOf).length;
  return pageDocument({
    title: `All ${name} releases`,
    path: '/releases/all',
    description: `All ${count} releases of ${name} with their dates and files.`,
    catalogue,
    now,
    site,
    main: `<h1 id="all">All ${label} releases</h1>
<p class="lead">${count} releases, newest branch first, each with its files and how to check them.</p>
<nav class="pages" aria-label="Branches">${branches.map(({ branch }) => `<a href="#php-${branch}">${branch}</a>`).join(' ')}</nav>
${releaseTable(
  'all',
  branches.map(
    (branch) =>
      `<tr id="php-${branch.branch}"><th colspan="3" scope="rowgroup"><a href="${branchPath(branch)}">${label} ${branch.branch}</a></th></tr>
${releaseRows(branch)}`,
  ),
)}`,
  });
};
