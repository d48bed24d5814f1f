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
}

export interface Screenshot {
  /** PNG file for a picture of the request and its answer */
  readonly file: string;
  /** what the picture shows in place of the address that the service has now: `localhost:3000` */
  readonly host: string;
}

/** Opens `/docs` of a running service in Chromium, tries a request out, and takes a picture of it if asked to. */
export const tryOnDocsPage = async (
  serviceUrl: string,
  { tag, operationId, parameters = {}, body }: TriedRequest,
  screenshot?: Screenshot,
): Promise<PageReport> => {
  // Only the tests of pages pay for loading it.
  const { openBrowser, openPage, VIEWPORTS } = await import('./browser.ts');
  const browser = await openBrowser();
  try {
    const { page, consoleProblems, foreignRequests } = await openPage(
      browser,
      `${serviceUrl}/docs`,
      VIEWPORTS['light']!,
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
    if (screenshot) {
      await page.evaluate(`{
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
          const { currentNode } = texts;
          currentNode.data = currentNode.data.replace('${new URL(serviceUrl).host}', '${screenshot.host}');
        }
      }`);
      // Down to the answer: the documented ones below it would fill three more pages.
      const [top, bottom] = await Promise.all([operation.boundingBox(), answer.boundingBox()]);
      if (!top || !bottom) throw new Error('the request or its answer is not shown');
      const scrolled: number = await page.evaluate('window.scrollY');
      const clip = {
        x: top.x,
        y: top.y + scrolled,
        width: top.width,
        height: bottom.y + bottom.height - top.y,
      };
      await page.screenshot({ path: screenshot.file, clip, fullPage: true });
    }
    return { status: status.trim(), body: text, consoleProblems, foreignRequests };
  } finally {
    await browser.close();
  }
};
