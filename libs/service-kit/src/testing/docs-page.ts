import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TriedRequest {
  /** its tag and operation id, as in the address of the page: `/docs#/api/branch` */
  readonly tag: string;
  readonly operationId: string;
  /** values of parameters, by name */
  readonly parameters?: Readonly<Record<string, string>>;
  /** instead of the body that the page proposes */
  readonly body?: string;
}

export interface PageReport {
  /** of the answer that the page shows */
  readonly status: string;
  /** of the answer that the page shows */
  readonly body: string;
  /** violations of the Content-Security-Policy, errors and warnings of scripts */
  readonly consoleProblems: readonly string[];
  /** what the page fetched from elsewhere */
  readonly foreignRequests: readonly string[];
  /** the page after the request, as a PNG file */
  readonly screenshot: string;
}

/** Opens `/docs` of a running service in Chromium and tries a request out. */
export const tryOnDocsPage = async (
  serviceUrl: string,
  { tag, operationId, parameters = {}, body }: TriedRequest,
): Promise<PageReport> => {
  // Only the tests of pages pay for loading it.
  const { openBrowser, openPage, VIEWS } = await import('./browser.ts');
  const browser = await openBrowser();
  try {
    const { page, consoleProblems, foreignRequests } = await openPage(
      browser,
      `${serviceUrl}/docs`,
      VIEWS['light']!,
    );
    const operation = page.locator(`#operations-${tag}-${operationId}`);
    await operation.locator('.opblock-summary-control').click();
    for (const [name, value] of Object.entries(parameters)) {
      await operation.locator(`tr[data-param-name="${name}"] input`).fill(value);
    }
    if (body !== undefined) await operation.locator('textarea.body-param__text').fill(body);
    await operation.locator('button.execute').click();
    const answer = operation.locator('.live-responses-table');
    const status = await answer.locator('tbody .response-col_status').first().innerText();
    const text = await answer.locator('.highlight-code pre').first().innerText();
    const screenshot = join(tmpdir(), `docs-${operationId}.png`);
    await operation.screenshot({ path: screenshot });
    return { status: status.trim(), body: text, consoleProblems, foreignRequests, screenshot };
  } finally {
    await browser.close();
  }
};
