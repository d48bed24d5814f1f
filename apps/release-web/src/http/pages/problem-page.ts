import type { FastifyRequest } from 'fastify';
import type { Problem } from '@workspace/schemas';
import { escapeMarkup } from '@workspace/service-kit';
import { problemContent, type ProblemPage } from '@workspace/service-kit/problems';
import { type BranchFile, type Catalogue, latestRelease } from '@workspace/release-catalogue';
import { branchPath, releasePath } from '../../domain/paths.ts';
import { PAGE_POLICY, pageFrame, type PageSite } from './document.ts';

/** A link, markup. @param text markup */
const link = (path: string, text: string): string => `<a href="${escapeMarkup(path)}">${text}</a>`;

/**
 * A problem as a page: what is wrong, a request that works, and one way on.
 * @param catalogue undefined while no data are loaded
 */
export const problemPage = (
  problem: Problem,
  request: FastifyRequest,
  site: PageSite,
  catalogue: Catalogue | undefined,
): ProblemPage => {
  const { url } = request;
  const nearest = catalogue && nearestBranch(catalogue, url.split('?', 1)[0]!);
  const example = catalogue && (exampleOf(request, problem) ?? newestPage(catalogue, nearest));
  const way =
    catalogue === undefined
      ? link('/health', 'See the state of this service')
      : nearest
        ? link(branchPath(nearest), escapeMarkup(`See ${catalogue.product.name} ${nearest.branch}`))
        : url.startsWith('/api/')
          ? link('/docs', 'See all paths')
          : link('/releases/', 'See supported versions and downloads');
  const html = pageFrame({
    title: problem.title,
    site,
    brand: catalogue ? `${catalogue.product.name} releases` : 'Releases',
    head: '<meta name="robots" content="noindex">',
    main: problemContent(problem, url, { example, way }),
    source: '',
  });
  return { html, headers: { 'content-security-policy': PAGE_POLICY } };
};

interface Described {
  readonly required?: readonly string[];
  readonly properties?: Readonly<
    Record<
      string,
      {
        readonly examples?: readonly unknown[];
        readonly enum?: readonly unknown[];
        readonly default?: unknown;
      }
    >
  >;
}

/** What the schema of the requested path says that works; undefined of an unknown path. */
const exampleOf = (
  { routeOptions, url: asked }: FastifyRequest,
  { errors = [] }: Problem,
): string | undefined => {
  // Without a route for a URL that cannot be read.
  const { url, schema } = (routeOptions as Partial<FastifyRequest['routeOptions']> | undefined) ?? {};
  if (url === undefined || schema === undefined) return undefined;
  const { params, querystring } = { ...schema, ...schema.described } as Record<string, Described | undefined>;
  // Only flags have neither an example nor a default.
  const valueOf = (part: Described | undefined, name: string): string => {
    const property = part?.properties?.[name];
    return encodeURIComponent(
      String(property?.examples?.[0] ?? property?.enum?.[0] ?? property?.default ?? true),
    );
  };
  const parameters = new URLSearchParams(asked.split('?')[1]);
  const names = Object.entries(querystring?.properties ?? {})
    .filter(
      ([name, property]) =>
        parameters.has(name) ||
        errors.some(({ pointer }) => pointer === `#/querystring/${name}`) ||
        (querystring?.required?.includes(name) && !('default' in property)),
    )
    .map(([name]) => `${name}=${valueOf(querystring, name)}`);
  const path = url.replace(/:(\w+)(\([^)]*\))?/g, (_, name: string) => valueOf(params, name));
  return names.length > 0 ? `${path}?${names.join('&')}` : path;
};

/** The page of the newest release of a branch, or of all. */
const newestPage = ({ branches }: Catalogue, branch: BranchFile | undefined): string | undefined => {
  const release =
    (branch && latestRelease(branch)) ?? branches.map(latestRelease).findLast((one) => one !== undefined);
  return release && releasePath(release);
};

/** The branch that a path names, or else the one with the closest number; undefined when it names none. */
const nearestBranch = ({ branches }: Catalogue, path: string): BranchFile | undefined => {
  const named = /(\d{1,4})[._](\d{1,4})/.exec(path);
  if (!named) return undefined;
  const [major, minor] = [Number(named[1]), Number(named[2])];
  const distanceOf = ({ branch }: BranchFile): number => {
    const [ownMajor, ownMinor] = branch.split('.').map(Number) as [number, number];
    return Math.abs(ownMajor - major) * 10_000 + Math.abs(ownMinor - minor);
  };
  return branches.reduce((best, branch) => (distanceOf(branch) < distanceOf(best) ? branch : best));
};
