import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { describeWith } from '@workspace/testing';
import { openBrowser, openPage, VIEWPORTS } from '@workspace/testing/browser';
import { siteFolder, workspaceFiles } from '../src/documents.ts';
import { serviceDocuments } from '../src/references/service-documents.ts';
import { pagesOf, SIDEBAR } from '../src/sidebar.ts';
import { missingFrom, textOf } from './page-text.ts';
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

    const written = pagesOf(SIDEBAR).flatMap((page) => (typeof page === 'string' ? [] : [page.page]));
    const pages = [...workspaceFiles().published.values(), ...written].filter((page) => page.endsWith('.md'));
    const reached = new Set(
      [...texts.keys()].map((url) => new URL(url).pathname.replace(/\/$/, '/index.html')),
    );
    expect(pages.filter((page) => !reached.has(`/${htmlOf(page)}`))).toEqual([]);
    expect(pages.length).toBeGreaterThan(70);
  });
});

describe('the references', () => {
  let documents: ReadonlyMap<string, string>;
  beforeAll(async () => {
    documents = await serviceDocuments();
  });

  it.each(['release-web', 'ops-intake', 'ip-locate'])(
    'of %s has all that the service says of itself',
    (service) => {
      const text = documents.get(`${service}/openapi.json`)!;
      expect(readFileSync(join(siteFolder, service, 'openapi.json'), 'utf8')).toBe(text);
      const page = textOf(readFileSync(join(siteFolder, service, 'api-reference.html'), 'utf8'));
      expect(missingFrom(page, JSON.parse(text))).toEqual([]);
    },
  );

  it('of the records has all of the AsyncAPI document', () => {
    const text = documents.get('ops-intake/asyncapi.json')!;
    expect(readFileSync(join(siteFolder, 'ops-intake/asyncapi.json'), 'utf8')).toBe(text);
    const page = textOf(readFileSync(join(siteFolder, 'ops-intake/records.html'), 'utf8'));
    const document = JSON.parse(text) as { components: object };
    expect(missingFrom(page, document)).toEqual([]);
    expect(missingFrom(page, { ...document, info: { title: 'not in it' } })).toEqual(['not in it']);
  });
});

describeWith(['chromium'], 'in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  describe.each([
    '/',
    '/ops-intake/guarantees.html',
    '/ops-intake/records.html',
    '/ops-intake/api-reference.html',
  ])('%s', (path) => {
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

  // They are made as that of ops-intake is; axe-core takes a minute for pages of this length.
  it.each(['release-web', 'ip-locate'])('shows the API reference of %s on a phone', async (service) => {
    const url = `${site.url}/${service}/api-reference.html`;
    const opened = await openPage(browser, url, VIEWPORTS['narrow']!);
    expect(await opened.overflowsSideways()).toBe(false);
    expect([opened.consoleProblems, opened.foreignRequests]).toEqual([[], []]);
    await opened.close();
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

  it('draws diagrams in the colours of the page, which a reader may change', async () => {
    const { page, consoleProblems, close } = await openPage(browser, site.url, VIEWPORTS['light']!);
    const diagram = page.locator('mermaid-diagram');
    const node = diagram.locator('svg .node', { hasText: 'Kafka topic' });
    await node.waitFor();
    const colour = (): Promise<string> =>
      page.evaluate(
        "getComputedStyle(document.querySelector('mermaid-diagram').shadowRoot.querySelector('.node path')).fill",
      );
    const light = await colour();
    await page.locator('.VPSwitchAppearance').first().click();
    await page.locator('html.dark').waitFor();
    await page.waitForFunction(
      "document.querySelector('mermaid-diagram').shadowRoot.querySelector('#diagram-2')",
    );
    expect(await colour()).not.toBe(light);
    expect(consoleProblems).toEqual([]);
    await close();
  });
});
