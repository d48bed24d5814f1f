import type { FastifyRequest } from 'fastify';
import type { Problem, ProblemItem } from '@workspace/schemas';
import { escapeMarkup } from '../markup.ts';
import { negotiate } from '../negotiation.ts';
import { type PageHeader, pageMarkup, pagePolicy } from '../pages/page.ts';
import type { RenderProblem } from './problem-reply.ts';

/** A page for people. */
export interface ProblemPage {
  readonly html: string;
  /** its Content-Security-Policy, and what else it needs */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Writes problems as pages to who asks for HTML before JSON, as browsers do; to all others as `render` does. Status and
 * headers are the same for both. Answers to other methods than GET and HEAD are never pages.
 */
export const withProblemPages =
  (
    render: RenderProblem,
    pageOf: (problem: Problem, request: FastifyRequest) => ProblemPage,
  ): RenderProblem =>
  (problem, request) => {
    const rendered = render(problem, request);
    if (!request || !wantsPage(request)) return rendered;
    const { html, headers } = pageOf(problem, request);
    return {
      ...rendered,
      contentType: 'text/html; charset=utf-8',
      body: html,
      headers: { ...rendered.headers, ...headers },
    };
  };

/** Whether a request asks for HTML before JSON, as browsers do. */
export const wantsPage = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  negotiate(headers.accept, ['application/json', 'text/html']) === 'text/html';

/** Longer sentences are no headings. */
const LONGEST_HEADING = 100;

/**
 * The problem in words: what is wrong as the heading, what else is said about it, each violation that this does not name,
 * title, status and request id; markup.
 * @param url that was asked for
 */
export const problemMarkup = (problem: Problem, url: string): string => {
  const { title, detail, status, errors = [], requestId } = problem;
  const violations = errors.filter(({ pointer }) => !detail?.includes(parameterOf(pointer)));
  const isOne = detail === undefined && violations.length === 1;
  const wrong =
    detail ??
    (isOne ? violationText(violations[0]!) : status === 404 ? `There is nothing at ${pathOf(url)}` : title);
  const [, first = wrong, rest = ''] = /^(.+?)\.(?:\s+(.+))?$/s.exec(wrong) ?? [];
  const [heading, lead] = first.length > LONGEST_HEADING ? [title, wrong] : [first, rest];
  const items = isOne ? [] : violations.map((item) => `<li>${escapeMarkup(violationText(item))}</li>`);
  return `<h1>${escapeMarkup(heading)}</h1>
${lead && `<p class="lead">${escapeMarkup(lead)}</p>\n`}${items.length > 0 ? `<ul>${items.join('')}</ul>\n` : ''}<p><small>${heading === title ? '' : `${escapeMarkup(title)} · `}HTTP status ${status}${requestId === undefined ? '' : ` · request <code>${escapeMarkup(requestId)}</code>`}</small></p>`;
};

const pathOf = (url: string): string => url.split('?', 1)[0]!;

/** `limit` of `#/querystring/limit`; of a body, the whole pointer. */
const parameterOf = (pointer: string): string =>
  /^#\/(?:querystring|params|headers)\/([^/]+)$/.exec(pointer)?.[1] ?? pointer;

/** A violation as a sentence about its parameter, in words. */
const violationText = ({ pointer, code, detail }: ProblemItem): string =>
  code === 'required'
    ? `${parameterOf(pointer)} is missing`
    : `${parameterOf(pointer)} ${detail
        .replace('>= ', 'at least ')
        .replace('<= ', 'at most ')
        .replace(/match format "(.+)"/, 'be a valid $1')}`;

/**
 * The way from the page of a request up to the root of the service, which a proxy may have put below a path of its own.
 * @returns `./`, `../`, `../../` …
 */
export const wayToRoot = (url: string): string => {
  const [path = ''] = url.split('?', 1);
  // `*` has no slash.
  return '../'.repeat(Math.max(0, path.split('/').length - 2)) || './';
};

/**
 * The content of the page of a problem: what is wrong, a request that works, and one way on.
 * @param example the path of a request that works
 * @param command what sends such a request from a shell
 * @param way a link, markup
 */
export const problemContent = (
  problem: Problem,
  url: string,
  {
    example,
    command,
    way,
  }: { readonly example?: string | undefined; readonly command?: string; readonly way?: string },
): string =>
  `${problemMarkup(problem, url)}
${example && example !== url ? `<p>Example: <a href="${escapeMarkup(example)}"><code>${escapeMarkup(example)}</code></a></p>\n` : ''}${command ? `<p>Example:</p>\n<pre><code>${escapeMarkup(command)}</code></pre>\n` : ''}${way ? `<p>${way}</p>` : ''}`;

/** Makes the header of a page from the way up to the root of the service. */
export type HeaderOf = (root: string) => PageHeader;

/**
 * A page in the frame of all, without a script and a style of its own.
 * @param service its name
 * @param headerOf undefined: the page leads nowhere, and says nothing of the service but its name
 * @returns makes a page of its title, its content (markup) and the URL that was asked for
 */
export const plainPage =
  (service: string, headerOf?: HeaderOf) =>
  (title: string, content: string, url: string): ProblemPage => ({
    html: pageMarkup({
      title: title === service ? title : `${title} · ${service}`,
      header: headerOf?.(wayToRoot(url)),
      main: content,
    }),
    headers: { 'content-security-policy': pagePolicy({}) },
  });

/**
 * A problem as a `plainPage`, with the same parameters.
 * @param commandOf what sends a request that works from a shell
 */
export const plainProblemPage = (
  service: string,
  headerOf?: HeaderOf,
  commandOf?: (request: FastifyRequest) => string,
) => {
  const page = plainPage(service, headerOf);
  return (problem: Problem, request: FastifyRequest): ProblemPage => {
    const { url } = request;
    const way = headerOf && `<a href="${wayToRoot(url)}docs">See all paths</a>`;
    const command = commandOf?.(request);
    const content = problemContent(problem, url, { ...(command && { command }), ...(way && { way }) });
    return page(problem.title, content, url);
  };
};
