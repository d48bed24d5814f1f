import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { describeWith } from '@workspace/testing';
import { openBrowser, openPage, VIEWPORTS } from '@workspace/testing/browser';
import { siteFolder, workspaceFiles } from '../src/documents.ts';
import { serviceDocuments } from '../src/service-documents.ts';
import { pagesOf, SIDEBAR } from '../src/sidebar.ts';
import { serveFolder } from './serve-folder.ts';

let site: Awaited<ReturnType<typeof serveFolder>>;
beforeAll(async () => {
  site = await serveFolder(siteFolder);
});
afterAll(() => site.close());

const htmlOf = (page: string): string => page.replace(/\.md$/, '.html');

describe('the links of the site', () => {
  it('lead from the start page to every page, file and heading', async () => {
    const texts = new Map<string, string>();
    const broken: string[] = [];
    const waiting = new Set([`${site.url}/`]);
    const linked: { from: string; to: URL }[] = [];
    for (const url of waiting) {
      const answer = await fetch(url);
      if (!answer.ok) broken.push(url);
      if (!answer.headers.get('content-type')!.startsWith('text/html')) continue;
      const text = await answer.text();
      texts.set(url, text);
      for (const [, link] of text.matchAll(/<a [^>]*href="([^"]*)"/g)) {
        const to = new URL(link!.replaceAll('&amp;', '&'), url);
        if (to.origin !== site.url) continue;
        linked.push({ from: url, to });
        waiting.add(to.href.slice(0, to.href.length - to.hash.length));
      }
    }
    expect(broken).toEqual([]);
    const placeless = linked.filter(({ to }) => {
      const page = texts.get(to.href.slice(0, to.href.length - to.hash.length));
      return to.hash !== '' && !page?.includes(` id="${decodeURIComponent(to.hash.slice(1))}"`);
    });
    expect(placeless.map(({ from, to }) => `${from} → ${to.href}`)).toEqual([]);

    const written = pagesOf(SIDEBAR).flatMap((page) => (typeof page === 'string' ? [] : [page.file]));
    const pages = [...workspaceFiles().published.values(), ...written].filter(
      (page) => !page.endsWith('.png'),
    );
    const reached = new Set([...waiting].map((url) => new URL(url).pathname.replace(/\/$/, '/index.html')));
    expect(pages.filter((page) => !reached.has(`/${htmlOf(page)}`))).toEqual([]);
    expect(pages.length).toBeGreaterThan(70);
  });
});

describe('the references', () => {
  it('are what the services say of themselves', async () => {
    for (const [name, text] of await serviceDocuments())
      expect([name, readFileSync(join(siteFolder, name), 'utf8')]).toEqual([name, text]);
  });
});

describeWith(['chromium'], 'in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  describe.each(['/', '/ops-intake/guarantees.html', '/ops-intake/api-reference.html'])('%s', (path) => {
    it.each(Object.keys(VIEWPORTS))(
      'is accessible, as wide as the screen, and asks no other host: %s',
      async (name) => {
        const opened = await openPage(browser, site.url + path, VIEWPORTS[name]!);
        await opened.page.waitForLoadState('networkidle');
        expect(await opened.axeViolations()).toEqual([]);
        expect(await opened.overflowsSideways()).toBe(false);
        expect([opened.consoleProblems, opened.foreignRequests]).toEqual([[], []]);
        await opened.close();
      },
    );
  });

  it('finds a term in all pages without a network', async () => {
    const { page, axeViolations, foreignRequests, close } = await openPage(
      browser,
      site.url,
      VIEWPORTS['dark']!,
    );
    await page.locator('.DocSearch-Button').click();
    await page.locator('#localsearch-input').fill('Idempotency-Key');
    const first = page.locator('a.result').first();
    await first.waitFor();
    expect(await first.innerText()).toContain('ops-intake: Submitting operations');
    expect(await axeViolations()).toEqual([]);
    await first.click();
    await page.waitForURL('**/ops-intake/submitting.html#*');
    await page.locator('h1', { hasText: 'Submitting operations' }).waitFor();
    expect(foreignRequests).toEqual([]);
    await close();
  });

  it('has a bar behind each figure of a benchmark, as long as its share of the greatest', async () => {
    const { page, close } = await openPage(
      browser,
      `${site.url}/ops-intake/measurements.html`,
      VIEWPORTS['light']!,
    );
    const cells = page.locator('table').first().locator('tbody td:nth-child(2)');
    const texts = await cells.allInnerTexts();
    const figures = texts.map((text) => Number(text.replaceAll(',', '')));
    const greatest = Math.max(...figures);
    expect(figures.length).toBeGreaterThan(2);
    for (const [at, figure] of figures.entries()) {
      const style = await cells.nth(at).getAttribute('style');
      expect(Number(/--bar: ?([\d.]+)/.exec(style!)![1])).toBeCloseTo(figure / greatest, 3);
    }
    await close();
  });

  it('has diagrams without a script, in the colours of the page, which a reader may change', async () => {
    const url = `${site.url}/ops-intake/guarantees.html`;
    const { page, consoleProblems, close } = await openPage(browser, url, VIEWPORTS['light']!);
    await page.locator('.diagram svg text', { hasText: 'perhaps in the log' }).waitFor();
    const colour = (): Promise<string> =>
      page.evaluate("getComputedStyle(document.querySelector('.diagram text')).fill");
    const light = await colour();
    await page.locator('.VPSwitchAppearance').first().click();
    await page.locator('html.dark').waitFor();
    expect(await colour()).not.toBe(light);
    const box = "document.querySelector('.diagram')";
    expect(await page.evaluate(`${box}.scrollWidth <= ${box}.clientWidth`)).toBe(true);
    expect(consoleProblems).toEqual([]);
    await close();
  });
});
