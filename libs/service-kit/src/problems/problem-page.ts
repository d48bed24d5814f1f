import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Problem, ProblemItem } from '@workspace/schemas';
import { escapeMarkup } from '../markup.ts';
import { negotiate } from '../negotiation.ts';
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

const STYLE = `:root{color-scheme:light dark}body{max-width:42rem;margin:0 auto;padding:2rem 1rem;font:1rem/1.5 system-ui,sans-serif;background:light-dark(#fff,#12161b);color:light-dark(#1b2027,#e6eaee)}
h1{line-height:1.2}a{color:light-dark(#0b5cad,#8ec5ff)}.lead{font-size:1.15rem}code,dd,h1,pre{overflow-wrap:anywhere}pre{white-space:pre-wrap}dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem}dd{margin:0}`;

const POLICY = `default-src 'none'; img-src data:; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/**
 * The way from the page of a request up to the root of the service, which a proxy may have put below a path of its own.
 * @returns `./`, `../`, `../../` …
 */
export const wayToRoot = (url: string): string => {
  const [path = ''] = url.split('?', 1);
  return '../'.repeat(path.split('/').length - 2) || './';
};

/**
 * A page for a service that has no style of its own.
 * @param service its name
 * @param links where a reader may go on: text by path below the root of the service, without a slash at the beginning
 * @returns makes a page of its title, its content (markup) and the URL that was asked for
 */
export const plainPage =
  (service: string, links: Readonly<Record<string, string>>) =>
  (title: string, content: string, url: string): ProblemPage => {
    const anchors = Object.entries(links).map(
      ([path, text]) => `<a href="${wayToRoot(url)}${path}">${text}</a>`,
    );
    return {
      html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(title)}${title === service ? '' : ` · ${service}`}</title><link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body><main>${content}
<p>${anchors.join(' · ')}</p></main></body></html>
`,
      headers: { 'content-security-policy': POLICY },
    };
  };

/** A problem as a `plainPage`, with the same parameters. */
export const plainProblemPage = (service: string, links: Readonly<Record<string, string>>) => {
  const page = plainPage(service, links);
  return (problem: Problem, { url }: FastifyRequest): ProblemPage =>
    page(problem.title, problemMarkup(problem, url), url);
};
