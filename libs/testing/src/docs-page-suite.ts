import type { Browser } from 'playwright-core';
import type { TestPage, Viewport } from './browser.ts';
import { type TriedRequest, tryOnDocsPage } from './docs-page.ts';
import { pythonProgram } from './python.ts';
import { describeWith, runTool } from './tools.ts';

const VIEWS: Readonly<Record<string, Viewport>> = {
  light: { colorScheme: 'light', width: 1280, height: 900 },
  dark: { colorScheme: 'dark', width: 1280, height: 900 },
  'narrow and light': { colorScheme: 'light', width: 390, height: 844 },
  'narrow and dark': { colorScheme: 'dark', width: 390, height: 844 },
};
const FIRST_CONTENT_MS = 1_000;
const OPENINGS = 3;

/** It may come after the page has loaded. */
const FIRST_CONTENTFUL_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntriesByName('first-contentful-paint')) resolve(startTime);
  }).observe({ type: 'paint', buffered: true });
})`;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: object };
}
interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: object;
}

/** How the examples of the page are run as they are; each prints the status of its answer. */
const RUN_EXAMPLE: Readonly<Record<string, (program: string) => Promise<string>>> = {
  curl: (program) =>
    runTool('sh', ['-c', `${program} --silent --output /dev/null --write-out '%{http_code}'`]),
  JavaScript: (program) => runTool(process.execPath, ['--input-type=module', '--eval', program]),
  Python: async (program) => runTool(await pythonProgram('python', 'requests'), ['-c', program]),
};

/** Tests `/docs` of a running service in Chromium. */
export const testDocsPage = (
  url: () => string,
  { status, shows, ...request }: TriedRequest & { readonly status: string; readonly shows: object },
): void => {
  const { operationId } = request;

  describeWith(['chromium'], 'the page at /docs', () => {
    let browser: Browser;
    let openPage: (typeof import('./browser.ts'))['openPage'];
    beforeAll(async () => {
      const module = await import('./browser.ts');
      openPage = module.openPage;
      browser = await module.openBrowser();
    });
    afterAll(() => browser.close());

    const open = (view: string, path = '/docs'): Promise<TestPage> =>
      openPage(browser, url() + path, VIEWS[view]!);
    const OPEN_ALL = 'document.querySelectorAll("details").forEach((details) => { details.open = true; })';

    it.each(Object.keys(VIEWS))(
      'is accessible and within its width, and nothing on it moves: %s',
      async (view) => {
        const page = await open(view);
        expect(await page.layoutShifts()).toEqual([]);
        await page.page.evaluate(OPEN_ALL);
        expect(await page.overflowsSideways()).toBe(false);
        // All sections are of the same make: of a page as long as this, axe-core takes a minute for each view.
        const parts = [
          'header',
          'nav',
          'h2',
          `#${operationId}`,
          '#page-problems ~ .problems',
          '#page-schemas + .entry',
        ];
        expect(await page.axeViolations(...(view === 'light' ? [] : parts))).toEqual([]);
        expect([page.consoleProblems, page.foreignRequests]).toEqual([[], []]);
        await page.close();
      },
    );

    it('shows its first content within a second', async () => {
      const times: number[] = [];
      for (let opening = 0; opening < OPENINGS; opening += 1) {
        const { page, close } = await open('light');
        times.push(await page.evaluate(FIRST_CONTENTFUL_PAINT));
        await close();
      }
      // The best of several: this is about the page, not about what else the machine does.
      expect(Math.min(...times)).toBeLessThan(FIRST_CONTENT_MS);
    });

    it('tries a request out, and runs and fetches nothing foreign', async () => {
      const page = await tryOnDocsPage(url(), request);
      expect([page.consoleProblems, page.foreignRequests]).toEqual([[], []]);
      expect(page.status).toBe(status);
      expect(JSON.parse(page.body)).toMatchObject(shows);
    });

    it.each(Object.keys(RUN_EXAMPLE))('has an example in %s that runs', async (language) => {
      const { page, close } = await open('light');
      const sample = page.locator(`#${operationId} .sample`, {
        has: page.getByText(language, { exact: true }),
      });
      const program = (await sample.locator('code').textContent())!;
      await close();
      expect(program).toContain(url());
      expect(await RUN_EXAMPLE[language]!(program)).toMatch(new RegExp(`^${status}`));
    });

    it('is an index that opens what a link leads to', async () => {
      const { page, close } = await open('light');
      expect(await page.locator('.operation[open]').count()).toBe(0);
      await page.getByRole('navigation', { name: 'Contents' }).locator(`a[href="#${operationId}"]`).click();
      await page.locator(`#${operationId} .sample`).first().waitFor({ state: 'visible' });
      await page.locator(`.operation:has(#${operationId}) summary`).first().waitFor({ state: 'visible' });
      await close();
    });

    it('filters the operations by what their lines say', async () => {
      const { page, close } = await open('light');
      const shown = async (): Promise<number[]> => [
        await page.locator('.operation').filter({ visible: true }).count(),
        await page.locator('#page-contents .method').filter({ visible: true }).count(),
      ];
      const [all] = await shown();
      const filter = page.getByLabel('Filter operations');
      await filter.fill('GET openapi');
      expect(await shown()).toEqual([2, 2]);
      expect(await page.locator('.filter [role="status"]').innerText()).toBe(`2 of ${all}`);
      expect(await page.locator('.group h2').filter({ visible: true }).count()).toBe(1);
      await filter.fill('');
      expect(await shown()).toEqual([all, all]);
      await close();
    });

    it('sends a request by the keyboard alone', async () => {
      const { page, close } = await open('light', `/docs#${operationId}`);
      const until = async (name: string): Promise<void> => {
        for (let stop = 0; stop < 100; stop += 1) {
          await page.keyboard.press('Tab');
          if ((await page.locator(':focus').innerText()) === name) return;
        }
        throw new Error(`Tab does not reach ${name}`);
      };
      await until('Try it out');
      await page.keyboard.press('Enter');
      await until('Send');
      await page.keyboard.press('Enter');
      const answer = page.locator(`#${operationId} .status`, { hasText: /^\d{3} / });
      expect(await answer.innerText()).toContain(status);
      await close();
    });

    it('has its contents at hand on a phone', async () => {
      const { page, close } = await open('narrow and light');
      const contents = page.getByRole('navigation', { name: 'Contents' });
      expect(await contents.isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Contents' }).press('Enter');
      await contents.locator(`a[href="#${operationId}"]`).click();
      expect(await contents.isVisible()).toBe(false);
      await page.locator(`#${operationId}:target h4`).first().waitFor({ state: 'visible' });
      await close();
    });

    it('can be read without its script, completely, and printed', async () => {
      const context = await browser.newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto(`${url()}/docs`);
      const { paths, components } = (await (await fetch(`${url()}/openapi.json`)).json()) as Document;
      const operations = Object.values(paths).flatMap((path) => Object.values(path));
      const shown = await page
        .locator('.operation > div')
        .evaluateAll((sections) => sections.map(({ id, textContent }) => [id, textContent!] as const));
      const texts = new Map(shown);
      for (const { operationId: id, parameters = [], responses } of operations) {
        for (const { name } of parameters)
          expect([id, texts.get(id)]).toEqual([id, expect.stringContaining(name)]);
        for (const code of Object.keys(responses))
          expect([id, texts.get(id)]).toEqual([id, expect.stringContaining(code)]);
      }
      expect(texts.size).toBe(operations.length);
      expect(await page.locator('[id^="schema-"]').count()).toBe(Object.keys(components.schemas).length);
      expect(await page.getByText('Try it out').filter({ visible: true }).count()).toBe(0);

      // What is folded on the screen is on paper.
      const sample = page.locator(`#${operationId} .sample`).first();
      expect(await sample.isVisible()).toBe(false);
      await page.emulateMedia({ media: 'print' });
      expect(await sample.isVisible()).toBe(true);
      expect(await page.getByRole('navigation', { name: 'Contents' }).isVisible()).toBe(false);
      await context.close();
    });
  });
};
