import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { describeWith } from '@workspace/testing';
import { openBrowser, openPage, type TestPage, VIEWPORTS } from '@workspace/testing/browser';
import { cityMmdb } from '../test/databases.ts';
import { type RunningService, startService } from './service.ts';

const CALLER = { 'x-forwarded-for': '8.8.8.8' };
const PAGES: readonly [name: string, path: string, headers: Record<string, string>][] = [
  ['the location of the caller', '/', CALLER],
  ['a private caller', '/', {}],
  ['an address', '/2001:4860:4860::8888', {}],
  ['an address that was typed', '/?ip=2001:4860:4860::8888', {}],
  ['an address without a location', '/?ip=nonsense', {}],
  ['a reserved address', '/10.0.0.1/json/', {}],
  ['a path that does not exist', '/no/such/page', {}],
  ['many addresses', '/?addresses=8.8.8.8+1.1.1.1+10.0.0.1+2001:4860:4860::8888', {}],
];

describeWith(['chromium'], 'the page in Chromium', () => {
  let service: RunningService;
  let browser: Browser;
  beforeAll(async () => {
    service = await startService({ TRUST_PROXY: 'loopback' });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  const open = (
    path: string,
    viewport: keyof typeof VIEWPORTS,
    headers: Record<string, string> = {},
  ): Promise<TestPage> => openPage(browser, `${service.url}${path}`, VIEWPORTS[viewport]!, headers);

  describe.each(Object.keys(VIEWPORTS))('%s', (viewport) => {
    it.each(PAGES)(
      '%s: accessible, within its width, without a console message or a foreign request',
      async (_name, path, headers) => {
        const opened = await open(path, viewport, headers);
        expect(await opened.overflowsSideways()).toBe(false);
        expect(await opened.axeViolations()).toEqual([]);
        expect(opened.consoleProblems).toEqual([]);
        expect(opened.foreignRequests).toEqual([]);
        await opened.close();
      },
    );
  });

  it('can be walked through with the Tab key, in reading order', async () => {
    const opened = await open('/', 'light', CALLER);
    expect(await opened.tabStops()).toEqual([
      'a Skip to content',
      'a ip-locate',
      'a API',
      'a Health',
      'input IPv4 or IPv6 address',
      'button Look up',
      'a Streets on OpenStreetMap',
      'a CSV',
      'a XML',
      'a YAML',
      'a API reference',
      'textarea One address per line, up to 100',
      'button Look up all',
      'a IP Geolocation by DB-IP',
      'a Autonomous systems by RouteViews',
      'select Language',
      'button Change',
    ]);
    await opened.close();
  });

  it('looks up what is typed, by the keyboard alone, and many addresses', async () => {
    const { page, close } = await open('/', 'light', CALLER);
    await page.getByLabel('IPv4 or IPv6 address').fill('1.1.1.1');
    await Promise.all([page.waitForURL('**/?ip=1.1.1.1'), page.keyboard.press('Enter')]);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('1.1.1.1');
    expect(await page.getByRole('img').getAttribute('aria-label')).toContain('Sydney');
    await page.getByLabel('One address per line, up to 100').fill('8.8.8.8\n1.1.1.1');
    await Promise.all([
      page.waitForURL('**/?addresses=**'),
      page.getByRole('button', { name: 'Look up all' }).click(),
    ]);
    expect(await page.getByRole('row').count()).toBe(3);
    await close();
  });

  it('shows both addresses of a visitor, if hosts of one family each are named', async () => {
    // Each host sees its own address of the visitor, and one cannot be reached.
    const host = (name: string) => `http://${name}.localhost:${new URL(service.url).port}/`;
    const other = await startService({
      TRUST_PROXY: 'loopback',
      IPV4_URL: host('ipv4'),
      IPV6_URL: host('ipv6'),
    });
    const seen = async (addresses: Record<string, string>) => {
      const page = await browser.newPage();
      await page.route('**/*', (route) => {
        const [name = ''] = new URL(route.request().url()).hostname.split('.');
        const address = addresses[name];
        if (address === undefined) return route.abort();
        return route.continue({ headers: { ...route.request().headers(), 'x-forwarded-for': address } });
      });
      await page.goto(other.url, { waitUntil: 'networkidle' });
      const shown = await page.locator('.lead:visible').allTextContents();
      await page.close();
      return shown;
    };
    const [four, six] = ['Your address is 8.8.8.8.', 'Your address is 2001:4860:4860::8888.'];
    expect(await seen({ 127: '8.8.8.8', ipv4: '8.8.8.8', ipv6: '2001:4860:4860::8888' })).toEqual([
      four,
      six,
    ]);
    expect(await seen({ 127: '2001:4860:4860::8888', ipv4: '8.8.8.8' })).toEqual([six, four]);
    expect(await seen({ 127: '8.8.8.8' })).toEqual([four]);
    await other.stop();
  });

  it('breaks long names of places', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ip-locate-'));
    const path = join(folder, 'City.mmdb');
    const city = { names: { en: 'Krungthepmahanakhonamonrattanakosinmahintharaayuthayamahadilokphop' } };
    writeFileSync(path, cityMmdb({ entries: [['80.0.0.0/8', { city }]] }));
    const other = await startService({ DATABASE_PATH: path });
    const opened = await openPage(browser, `${other.url}/80.1.2.3`, VIEWPORTS['narrow']!);
    expect(await opened.overflowsSideways()).toBe(false);
    await opened.close();
    await other.stop();
    rmSync(folder, { recursive: true });
  });

  it('is one small answer', async () => {
    const reply = await fetch(`${service.url}/`, { headers: { accept: 'text/html', ...CALLER } });
    expect(Buffer.byteLength(await reply.text())).toBeLessThan(60_000);
  });
});
