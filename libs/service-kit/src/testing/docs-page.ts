import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool } from './tools.ts';

export interface TriedRequest {
  /** its tag and operation id, as in the address of the page: `#/api/branch` */
  readonly tag: string;
  readonly operationId: string;
  /** values of parameters, by name */
  readonly parameters?: Readonly<Record<string, string>>;
}

export interface PageReport {
  /** status of the answer that the page shows */
  readonly status: string;
  /** body of the answer that the page shows */
  readonly body: string;
  /** violations of the content security policy, errors of scripts and failed requests */
  readonly errors: readonly string[];
  /** origins that the page fetched from */
  readonly origins: readonly string[];
  /** the page after the request, as a PNG file */
  readonly screenshot: string;
}

/** Opens `/docs` of a running service in Chromium and tries a request out. */
export const tryOnDocsPage = async (
  serviceUrl: string,
  { tag, operationId, parameters = {} }: TriedRequest,
): Promise<PageReport> => {
  // Only these tests pay for loading it.
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: (await runTool('which', ['chromium'])).trim(),
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 1400 } });
    const errors: string[] = [];
    const origins = new Set<string>();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('requestfailed', (request) => errors.push(`failed: ${request.url()}`));
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin);
    });
    await page.goto(`${serviceUrl}/docs`);
    const operation = page.locator(`#operations-${tag}-${operationId}`);
    await operation.locator('.opblock-summary-control').click();
    for (const [name, value] of Object.entries(parameters)) {
      await operation.locator(`tr[data-param-name="${name}"] input`).fill(value);
    }
    await operation.locator('button.execute').click();
    const answer = operation.locator('.live-responses-table');
    const status = await answer.locator('tbody .response-col_status').first().innerText();
    const body = await answer.locator('.highlight-code pre').first().innerText();
    await operation.scrollIntoViewIfNeeded();
    const screenshot = join(tmpdir(), `docs-${operationId}.png`);
    await page.screenshot({ path: screenshot });
    return { status: status.trim(), body, errors, origins: [...origins], screenshot };
  } finally {
    await browser.close();
  }
};
