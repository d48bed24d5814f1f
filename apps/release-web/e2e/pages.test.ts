import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { DataCopy } from '@workspace/release-catalogue/testing';
import { describeWith } from '@workspace/testing';
import { openBrowser, openPage, type TestPage, VIEWPORTS } from '@workspace/testing/browser';
import { runReleaseData } from './release-data.ts';
import { type RunningService, startService } from './service.ts';

const PAGES: readonly [name: string, path: string][] = [
  ['the page of releases', '/releases/'],
  ['all releases', '/releases/all'],
  ['a branch with support', '/releases/8.4/'],
  ['a branch without support', '/releases/7.4/'],
  ['a branch in testing', '/releases/8.6/'],
  ['a branch of which little is known', '/releases/3.0/'],
  ['a release', '/releases/8_4_24.php'],
  ['a branch that is not on record', '/releases/9.9/'],
  ['an old release with files for Windows', '/releases/5_4_0.php'],
];

describeWith(['chromium'], 'the pages in Chromium', () => {
  let service: RunningService;
  let browser: Browser;
  beforeAll(async () => {
    service = await startService();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  const open = (path: string, viewport: keyof typeof VIEWPORTS): Promise<TestPage> =>
    openPage(browser, `${service.url}${path}`, VIEWPORTS[viewport]!);

  describe.each(Object.keys(VIEWPORTS))('%s', (viewport) => {
    it.each(PAGES)(
      '%s: accessible, within its width, without a console message or a foreign request',
      async (_name, path) => {
        const opened = await open(path, viewport);
        expect(await opened.overflowsSideways()).toBe(false);
        expect(await opened.axeViolations()).toEqual([]);
        expect(opened.consoleProblems).toEqual([]);
        expect(opened.foreignRequests).toEqual([]);
        await opened.close();
      },
    );
  });

  it('the text of the timeline is as large on a phone as on a desk', async () => {
    const opened = await open('/releases/', 'narrow');
    const heights: number[] = await opened.page.evaluate(
      `[...document.querySelectorAll('.timeline text')].map((text) => text.getBoundingClientRect().height).filter(Boolean)`,
    );
    expect(heights.length).toBeGreaterThan(8);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(12);
    await opened.close();
  });

  it('can be walked through with the Tab key, in reading order', async () => {
    const opened = await open('/releases/8.4/', 'light');
    const stops = await opened.tabStops();
    expect(stops.slice(0, 11)).toEqual([
      'a Skip to content',
      'a PHP releases',
      'a Downloads',
      'a All releases',
      'a Feed',
      'a Calendar',
      'a API',
      'a Add these dates to a calendar',
      'a PHP 8.4.24',
      'a php-8.4.24.tar.gz',
      'a php-8.4.24.tar.gz.asc, signature',
    ]);
    expect(stops[11]).toBe('button Copy the SHA-256 of php-8.4.24.tar.gz');
    expect(stops.slice(-4)).toEqual([
      'a Atom feed of PHP 8.4',
      'a JSON feed',
      'a This branch as JSON',
      'a API reference',
    ]);
    await opened.close();
  });

  it('copies a digest by the keyboard and confirms it', async () => {
    const { page, close } = await open('/releases/', 'light');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the SHA-256 of php-8.5.9.tar.xz' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Copied the SHA-256 of php-8.5.9.tar.xz').waitFor({ state: 'attached' });
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      await page.locator('[id="hash-php-8.5.9.tar.xz"]').textContent(),
    );
    await close();
  });

  it('selects a digest when the browser has no clipboard for it', async () => {
    const { page, close } = await open('/releases/', 'light');
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"))');
    await page.getByRole('button', { name: 'Copy the SHA-256 of php-8.5.9.tar.xz' }).click();
    await page.getByText('Press Ctrl+C to copy').waitFor({ state: 'attached' });
    expect(await page.evaluate('String(getSelection())')).toMatch(/^[0-9a-f]{64}$/);
    await close();
  });

  it.each(['/releases/', '/releases/8.4/'])('%s moves nothing while it loads', async (path) => {
    const opened = await open(path, 'narrow');
    const shift = await opened.page.evaluate(`new Promise((resolve) => {
      let sum = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) sum += value;
      }).observe({ type: 'layout-shift', buffered: true });
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
    })`);
    expect(shift).toBe(0);
    await opened.close();
  });

  it('breaks words in news and reasons that are wider than a phone', async () => {
    const data = new DataCopy();
    const word = 'x'.repeat(100);
    const write = (...args: string[]) => runReleaseData([...args, '--yes', '--data', data.folder]);
    await write('yank', '8.4.24', '--reason', word);
    await write('correct', '8.4.23', '--kind', 'bugfix', '--reason', word);
    await write('add-news', word, '--link', 'https://php.example/', '--summary', word);
    const { url, stop } = await startService({ DATA_DIR: data.folder });
    try {
      for (const path of ['/releases/', '/releases/8_4_24.php', '/releases/8_4_23.php']) {
        const opened = await openPage(browser, url + path, VIEWPORTS['narrow']!);
        expect([path, await opened.page.content()]).toEqual([path, expect.stringContaining(word)]);
        expect([path, await opened.overflowsSideways()]).toEqual([path, false]);
        await opened.close();
      }
    } finally {
      await stop();
      data.remove();
    }
  });

  it('keeps the colours of the legend in forced colours', async () => {
    const { page, close } = await open('/releases/', 'light');
    await page.emulateMedia({ forcedColors: 'active' });
    const colours: string[] = await page.evaluate(
      `[...document.querySelectorAll('.key')].map((key) => getComputedStyle(key, '::before').backgroundColor)`,
    );
    expect(new Set(colours).size).toBe(2);
    await close();
  });

  it.each(['ltr', 'rtl'])(
    'stays within its width, and dates within their bars, read %s',
    async (direction) => {
      const opened = await open('/releases/', 'light');
      await opened.page.evaluate(`document.documentElement.dir = '${direction}'`);
      expect(await opened.overflowsSideways()).toBe(false);
      for (const width of [1280, 1040, 800, 710]) {
        await opened.page.setViewportSize({ width, height: 800 });
        const outside: string[] = await opened.page.evaluate(
          `[...document.querySelectorAll('.timeline .until')].filter((text) => {
          const [inner, outer] = [text, text.previousElementSibling].map((shape) => shape.getBoundingClientRect());
          return inner.width > 0 && (inner.left < outer.left || inner.right > outer.right);
        }).map((text) => text.textContent)`,
        );
        expect([width, outside]).toEqual([width, []]);
      }
      await opened.close();
    },
  );

  it('prints without navigation and buttons', async () => {
    const { page, close } = await open('/releases/', 'dark');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.copy:visible').count()).toBe(0);
    expect(await page.locator('header nav a:visible').allTextContents()).toEqual(['PHP releases']);
    expect(await page.locator('.timeline svg').isVisible()).toBe(true);
    await close();
  });

  it('are as small as the README says', async () => {
    const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
    for (const [path, name] of [
      ['/releases/', 'page of releases'],
      ['/releases/8.4/', 'page of a branch'],
      ['/releases/all', 'table of all'],
    ]) {
      const html = await (await fetch(`${service.url}${path}`)).text();
      const [, kilobytes] = new RegExp(`${name}[^.]*?(\\d+) kB compressed`).exec(readme) ?? [];
      expect(brotliCompressSync(html).length).toBeLessThan(Number(kilobytes) * 1000);
    }
  });
});
