export interface TriedRequest {
  /** as in the address of its section: `/docs#branch` */
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
  { operationId, parameters = {}, body }: TriedRequest,
  screenshot?: Screenshot,
): Promise<PageReport> => {
  // Only the tests of pages pay for loading it.
  const { openBrowser, openPage, VIEWPORTS } = await import('./browser.ts');
  const browser = await openBrowser();
  try {
    const { page, consoleProblems, foreignRequests } = await openPage(
      browser,
      `${serviceUrl}/docs#${operationId}`,
      VIEWPORTS['light']!,
    );
    const operation = page.locator(`#${operationId}`);
    await operation.getByText('Try it out', { exact: true }).click();
    for (const [name, value] of Object.entries(parameters)) {
      await operation.locator(`input[name="${name}"]`).fill(value);
    }
    if (body !== undefined) await operation.getByLabel('Body').fill(body);
    await operation.getByRole('button', { name: 'Send' }).click();
    const line = operation.locator('.status', { hasText: /^\d{3}/ });
    const status = (await line.innerText()).slice(0, 3);
    const text = await operation.locator('.answer').innerText();
    if (screenshot) {
      await page.evaluate(`{
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
          const { currentNode } = texts;
          currentNode.data = currentNode.data.replace('${new URL(serviceUrl).host}', '${screenshot.host}');
        }
      }`);
      await page.locator('.operation', { has: operation }).screenshot({ path: screenshot.file });
    }
    return { status, body: text, consoleProblems, foreignRequests };
  } finally {
    await browser.close();
  }
};
