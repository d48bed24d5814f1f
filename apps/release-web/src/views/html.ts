import type { Release } from '../data/index.ts';
import { escapeMarkup } from './markup.ts';

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0}main{max-width:60rem;margin:auto;padding:1rem}
img{width:100%;height:auto}section{margin:1rem 0}h3{margin-bottom:0}td,th{padding:.1rem 1rem .1rem 0;text-align:left;vertical-align:top}
code{font-size:.8rem;overflow-wrap:anywhere}summary{cursor:pointer;font-weight:bold}ul{columns:8rem}`;

/** A page in the service's plain dress. `head` and `main` are markup already, the title is text. */
export const page = (title: string, main: string, head = ''): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(title)}</title>
${head}<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeMarkup(title)}</h1>
${main}
</main>
</body>
</html>
`;

/** Rows of a table of files with their digests. */
export const fileRows = (files: Release['published']['source']): string =>
  files
    .map((file) =>
      'filename' in file
        ? `<tr><td><a href="/distributions/${escapeMarkup(encodeURIComponent(file.filename))}">${escapeMarkup(file.filename)}</a></td><td><code>${escapeMarkup(file.sha256 ?? file.md5 ?? '')}</code></td></tr>`
        : `<tr><td><a href="${escapeMarkup(file.link)}">${escapeMarkup(file.name)}</a></td><td></td></tr>`,
    )
    .join('');
