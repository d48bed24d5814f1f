import { FRESH, type Rendering } from './render.ts';

/** `_headers` for hosts of static sites: what each path of the instant of the export is sent with. */
export const headersFile = ({ answers }: Rendering): string =>
  answers
    .filter(({ request, versions }) => request.query === '' && versions[0]?.instant === 0)
    .flatMap(({ request, versions }) => [
      request.path,
      ...Object.entries(versions[0]!.headers)
        // The host negotiates codings itself.
        .filter(([name]) => name !== 'vary')
        // No clock makes it shorter before a change here.
        .map(([name, value]) => `  ${name}: ${value === FRESH ? 'no-cache' : value}`),
    ])
    .concat('')
    .join('\n');

/** `_redirects` for the same hosts, which keep the query themselves. */
export const redirectsFile = ({ redirects }: Rendering): string =>
  redirects
    .map(({ path, location, status }) => `${path} ${location} ${status}`)
    .concat('')
    .join('\n');
