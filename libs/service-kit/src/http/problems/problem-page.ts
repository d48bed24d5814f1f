import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Problem } from '@workspace/schemas';
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

const wantsPage = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  negotiate(headers.accept, ['application/json', 'text/html']) === 'text/html';

/** The problem in words: heading, what happened, each violation, status and request id; markup. */
export const problemMarkup = ({ title, detail, status, errors = [], requestId }: Problem): string => {
  const items = errors.map(
    ({ pointer, detail: what }) => `<li><code>${escapeMarkup(pointer)}</code> ${escapeMarkup(what)}</li>`,
  );
  return `<h1>${escapeMarkup(title)}</h1>
${detail === undefined ? '' : `<p class="lead">${escapeMarkup(detail)}</p>\n`}${items.length > 0 ? `<ul>${items.join('')}</ul>\n` : ''}<p><small>HTTP status ${status}${requestId === undefined ? '' : ` · request <code>${escapeMarkup(requestId)}</code>`}</small></p>`;
};

const STYLE = `:root{color-scheme:light dark}body{max-width:42rem;margin:0 auto;padding:2rem 1rem;font:1rem/1.5 system-ui,sans-serif;background:light-dark(#fff,#12161b);color:light-dark(#1b2027,#e6eaee)}
h1{line-height:1.2}a{color:light-dark(#0b5cad,#8ec5ff)}.lead{font-size:1.15rem}code{overflow-wrap:anywhere}`;

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
 */
export const plainProblemPage =
  (service: string, links: Readonly<Record<string, string>>) =>
  (problem: Problem, { url }: FastifyRequest): ProblemPage => {
    const anchors = Object.entries(links).map(
      ([path, text]) => `<a href="${wayToRoot(url)}${path}">${text}</a>`,
    );
    return {
      html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(problem.title)} · ${service}</title><link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body><main>${problemMarkup(problem)}
<p>${anchors.join(' · ')}</p></main></body></html>
`,
      headers: { 'content-security-policy': POLICY },
    };
  };
