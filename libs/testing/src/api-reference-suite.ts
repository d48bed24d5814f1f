import { type TriedRequest, tryOnDocsPage } from './docs-page.ts';
import { lintOpenApi } from './open-api-lint.ts';
import { describeWith } from './tools.ts';

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
  }, 120_000);

  describeWith(['chromium'], 'the page at /docs', () => {
    it('tries a request out, and runs and fetches nothing foreign', async () => {
      const { status, shows, ...request } = tried;
      const page = await tryOnDocsPage(url(), request);
      expect([page.consoleProblems, page.foreignRequests]).toEqual([[], []]);
      expect(page.status).toBe(status);
      expect(JSON.parse(page.body)).toMatchObject(shows);
    }, 120_000);
  });
};
