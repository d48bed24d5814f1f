import { escapeMarkup } from '@workspace/service-kit';
import type { Release } from '@workspace/release-catalogue';

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0}main{max-width:60rem;margin:auto;padding:1rem}
img{width:100%;height:auto}section{margin:1rem 0}h3{margin-bottom:0}td,th{padding:.1rem 1rem .1rem 0;text-align:left;vertical-align:top}
code{font-size:.8rem;overflow-wrap:anywhere}summary{cursor:pointer;font-weight:bold}ul{columns:8rem}ul.changes{columns:auto}`;

/** Pages are made of data that people write; should a mark slip through, it runs nothing and fetches nothing. */
const POLICY = `default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'`;

/** A page in the service's plain dress. `head` and `main` are markup already, the title is text. */
export const page = (title: string, main: string, head = ''): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(title)}</title>
<link rel="icon" href="data:,">
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

/** A file to download as a page shows it. */
export interface FileRow {
  readonly href: string;
  readonly name: string;
  /** with the algorithm it is of, which an old release leaves to guesswork */
  readonly digest?: { readonly algorithm: 'SHA-256' | 'MD5'; readonly hex: string } | undefined;
}

/** A table of files with their digests. */
export const fileTable = (files: readonly FileRow[]): string =>
  `<table>${files.map(({ href, name, digest }) => `<tr><td><a href="${escapeMarkup(href)}">${escapeMarkup(name)}</a></td><td>${digest ? `<small>${digest.algorithm}</small> <code>${escapeMarkup(digest.hex)}</code>` : ''}</td></tr>`).join('')}</table>`;

/** The files of a release. */
export const releaseFiles = (files: Release['published']['source']): FileRow[] =>
  files.map((file) => {
    if (!('filename' in file)) return { href: file.link, name: file.name };
    const { filename, sha256, md5 } = file;
    return {
      href: `/distributions/${encodeURIComponent(filename)}`,
      name: filename,
      digest: sha256
        ? { algorithm: 'SHA-256', hex: sha256 }
        : md5
          ? { algorithm: 'MD5', hex: md5 }
          : undefined,
    };
  });
