import type { TriedRequest } from './docs-page.ts';
import { testDocsPage } from './docs-page-suite.ts';
import { lintOpenApi } from './open-api-lint.ts';

export interface ApiReferenceSuite {
  /** the base URL of the running service */
  readonly url: () => string;
  /** a request to try out on the page, and what the page shows of its answer */
  readonly tried: TriedRequest & { readonly status: string; readonly shows: object };
}

/** Tests the description of a running service with linters, and its page with a browser. */
export const testApiReference = ({ url, tried }: ApiReferenceSuite): void => {
  it('passes the recommended rules of Redocly and Spectral', async () => {
    await lintOpenApi(url());
  });

  it('says what a pattern allows in words or by an example, too', async () => {
    const document: unknown = await (await fetch(`${url()}/openapi.json`)).json();
    expect(unexplainedPatterns(document)).toEqual([]);
  });

  testDocsPage(url, tried);
};

/** Where a document has a pattern, and neither it nor what it belongs to has a description or an example. */
const unexplainedPatterns = (value: unknown, place = '#', isExplained = false): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const { pattern, description, example, examples } = value as Record<string, unknown>;
  const explains = [description, example, examples].some((one) => one !== undefined);
  if (typeof pattern === 'string' && !explains && !isExplained) return [place];
  return Object.entries(value).flatMap(([name, part]) =>
    unexplainedPatterns(part, `${place}/${name}`, name === 'schema' && explains),
  );
};
