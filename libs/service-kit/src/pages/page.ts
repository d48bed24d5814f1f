import { createHash } from 'node:crypto';
import { escapeMarkup } from '../markup.ts';
import { PAGE_STYLE } from './page-style.ts';

/** What is at the top of each page of a service: its name, its version and where a reader may go. */
export interface PageHeader {
  /** text */
  readonly name: string;
  readonly version: string;
  /** from the page up to the root of the service: `./`, `../` or `/` */
  readonly root: string;
  /** the first page, markup; the root without it */
  readonly home?: string;
  /** what a reader may go to besides the API reference and the health: text by path below the root */
  readonly links?: Readonly<Record<string, string>>;
  /** false where the pages are served without the service */
  readonly hasHealth?: boolean;
}

export interface PageParts {
  /** of the window, text */
  readonly title: string;
  readonly lang?: string;
  /** undefined: the page shows nothing of the service */
  readonly header: PageHeader | undefined;
  /** a `data:` URL */
  readonly icon?: string;
  /** what else the head has, markup */
  readonly head?: string;
  /** what the page adds to the style of all */
  readonly style?: string;
  readonly script?: string;
  /** of the body, markup that begins with a space */
  readonly attributes?: string;
  /** what stands between the header and the content, markup */
  readonly before?: string;
  /** markup */
  readonly main: string;
  /** markup */
  readonly foot?: string;
}

/** The header of all pages. */
export const pageHeader = ({
  name,
  version,
  root,
  home = root,
  links = {},
  hasHealth = true,
}: PageHeader): string => {
  const all = { ...links, docs: 'API', ...(hasHealth && { health: 'Health' }) };
  const anchors = Object.entries(all).map(([path, text]) => `<a href="${root}${path}">${text}</a>`);
  return `<header class="bar"><nav aria-label="Site"><span class="brand"><a href="${home}">${escapeMarkup(name)}</a> <small class="muted">${escapeMarkup(version)}</small></span>
${anchors.join(' ')}</nav></header>`;
};

/** A whole page in the frame of all. */
export const pageMarkup = ({
  title,
  lang = 'en',
  header,
  icon = 'data:,',
  head = '',
  style = '',
  script,
  attributes = '',
  before = '',
  main,
  foot = '',
}: PageParts): string => `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(title)}</title>
${head}<link rel="icon" href="${icon}">
<style>${PAGE_STYLE}${style}</style>${script === undefined ? '' : `\n<script>${script}</script>`}
</head>
<body${attributes}>
${header ? `<a class="skip" href="#page-content">Skip to content</a>\n${pageHeader(header)}` : ''}${before}
<main id="page-content">
${main}
</main>
${foot && `<footer class="foot">${foot}</footer>\n`}</body>
</html>
`;

const sha256 = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export interface PolicyOptions {
  /** those of the page */
  readonly style?: string;
  readonly script?: string;
  /** whether the page sends forms to its site */
  readonly hasForms?: boolean;
  /** what its script asks: `'self'`, or the origins of other sites */
  readonly connectsTo?: readonly string[];
}

/**
 * The Content-Security-Policy of a page: its own style and script and the icon in it. Nothing else is loaded, and should
 * markup in the data slip through, it runs nothing.
 */
export const pagePolicy = ({
  style = '',
  script,
  hasForms = false,
  connectsTo = [],
}: PolicyOptions): string =>
  [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${sha256(script)}`]),
    `style-src ${sha256(PAGE_STYLE + style)}`,
    'img-src data:',
    ...(connectsTo.length > 0 ? [`connect-src ${connectsTo.join(' ')}`] : []),
    "base-uri 'none'",
    `form-action ${hasForms ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * Says that what a page shows is old.
 * @param sentence what is said of a date, markup
 */
export const staleNotice = (date: Date, sentence: (date: string) => string, language = 'en-GB'): string => {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
  const time = `<time datetime="${date.toISOString().slice(0, 10)}">${format.format(date)}</time>`;
  return `<p class="notice bad" id="stale">${sentence(time)}</p>\n`;
};
