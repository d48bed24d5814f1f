import type { Rendering } from './render.ts';

/** `_headers` for hosts of static sites: what each path is sent with. */
export const headersFile = ({ answers }: Rendering): string =>
  answers
    .filter(({ request }) => request.query === '')
    .flatMap(({ request, headers }) => [
      request.path,
      ...Object.entries(headers)
        // The host negotiates codings itself.
        .filter(([name]) => name !== 'vary')
        .map(([name, value]) => `  ${name}: ${value}`),
    ])
    .concat('')
    .join('\n');

/** `_redirects` for the same hosts, which keep the query themselves. */
export const redirectsFile = ({ redirects }: Rendering): string =>
  redirects
    .map(({ path, location, status }) => `${path} ${location} ${status}`)
    .concat('')
    .join('\n');
