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

  testDocsPage(url, tried);
};
