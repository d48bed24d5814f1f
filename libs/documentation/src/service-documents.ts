import { killServices, startBuiltService } from '@workspace/testing';

const OPEN_API = {
  'openapi.json': '/openapi.json',
  'openapi.yaml': '/openapi.yaml',
  'api-reference.html': '/docs',
};
const ASYNC_API = { 'asyncapi.json': '/asyncapi.json', 'asyncapi.yaml': '/asyncapi.yaml' };

/** What each service says of itself: files and the paths that have them. */
const DOCUMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'release-web': OPEN_API,
  'ops-intake': { ...OPEN_API, ...ASYNC_API },
  'ip-locate': OPEN_API,
};

/**
 * A reference as the site shows it, which has no service: without the script, which sends requests to the service that the page
 * comes from, and without links to the service's API and health. The page is complete without them.
 */
const withoutService = (page: string): string =>
  page.replace(/<script>[^]*?<\/script>\n/, '').replaceAll(/<a href="\.\/(?:docs|health)">[^<]*<\/a> ?/g, '');

/** Starts the built services with their default settings and asks them; the texts by `service/file`. */
export const serviceDocuments = async (): Promise<ReadonlyMap<string, string>> => {
  try {
    const texts = Object.entries(DOCUMENTS).map(async ([app, documents]) => {
      const { url } = await startBuiltService(app);
      return Promise.all(
        Object.entries(documents).map(async ([file, path]) => {
          const answer = await fetch(url + path);
          if (!answer.ok) throw new Error(`${app} answers ${answer.status} to ${path}`);
          return [`${app}/${file}`, withoutService(await answer.text())] as const;
        }),
      );
    });
    return new Map((await Promise.all(texts)).flat());
  } finally {
    await killServices();
  }
};
