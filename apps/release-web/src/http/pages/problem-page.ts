import type { Problem } from '@workspace/schemas';
import { escapeMarkup, problemMarkup, type ProblemPage } from '@workspace/service-kit';
import type { Catalogue } from '@workspace/release-catalogue';
import { branchPath } from '../../domain/paths.ts';
import type { PageLinks } from '../site.ts';
import { PAGE_POLICY, pageFrame } from './document.ts';

/** A link, markup; the path and the text are our own. */
const link = (path: string, text: string): string => `<a href="${path}">${escapeMarkup(text)}</a>`;

/**
 * A problem as a page, with ways back to what there is.
 * @param url that was asked for; the branch nearest to what it names is offered
 * @param catalogue undefined while no data are loaded
 */
export const problemPage = (
  problem: Problem,
  url: string,
  links: PageLinks,
  catalogue: Catalogue | undefined,
): ProblemPage => {
  const nearest = catalogue && nearestBranch(catalogue, url);
  const ways = [
    ...(nearest === undefined
      ? []
      : [link(branchPath({ branch: nearest }), `${catalogue!.product.name} ${nearest}`)]),
    link('/releases/', 'All releases'),
    link('/docs', 'All paths'),
  ];
  const html = pageFrame({
    title: problem.title,
    links,
    brand: catalogue ? `${catalogue.product.name} releases` : 'Releases',
    head: '<meta name="robots" content="noindex">',
    main: `${problemMarkup(problem)}
<ul>${ways.map((way) => `<li>${way}</li>`).join('')}</ul>`,
    source: '',
  });
  return { html, headers: { 'content-security-policy': PAGE_POLICY } };
};

/** The branch that a path names, or else the one with the closest number; undefined when it names none. */
const nearestBranch = ({ branches }: Catalogue, url: string): string | undefined => {
  const named = /(\d{1,4})[._](\d{1,4})/.exec(url);
  if (!named) return undefined;
  const [major, minor] = [Number(named[1]), Number(named[2])];
  const distanceOf = (branch: string): number => {
    const [ownMajor, ownMinor] = branch.split('.').map(Number) as [number, number];
    return Math.abs(ownMajor - major) * 10_000 + Math.abs(ownMinor - minor);
  };
  return branches
    .map(({ branch }) => branch)
    .reduce((best, branch) => (distanceOf(branch) < distanceOf(best) ? branch : best));
};
