import type { Browser } from 'playwright-core';
import type { Service } from '@workspace/service-kit';
import { createMetrics } from '@workspace/service-process';
import { describeWith } from '@workspace/testing';
import { openBrowser, openPage, VIEWPORTS } from '@workspace/testing/browser';
import { type IdempotencyStore, StoreUnavailable } from '../src/application/idempotency-store.ts';
import { appUnderTest, ONE_BUY, post } from '../test/app-under-test.ts';
import type { InMemoryLog } from '../test/in-memory-log.ts';

const VIEWS: typeof VIEWPORTS = {
  ...VIEWPORTS,
  'narrow and dark': { ...VIEWPORTS['narrow']!, colorScheme: 'dark' as const },
};

const REGIONS_TO_SCROLL_SIDEWAYS = `[...document.querySelectorAll('.scroll')]
  .filter((region) => region.scrollWidth > region.clientWidth)
  .map((region) => region.getAttribute('aria-label'))`;

/** Cards of which more than a tenth of the screen, and more than half of the card, is below their last text. */
const EMPTY_CARDS = `[...document.querySelectorAll('section')].filter((card) => {
  const { height, bottom } = card.getBoundingClientRect();
  const texts = [...card.querySelectorAll('*')].filter((one) => one.children.length === 0 && (one.textContent || one.matches('input,textarea')));
  const room = bottom - Math.max(...texts.map((one) => one.getBoundingClientRect().bottom));
  return room > innerHeight / 10 && room > height / 2;
}).map((card) => card.firstElementChild.textContent)`;

const INVALID = '[{"operation":"hold","unit-cost":10.00,"quantity":1e2}]';

// On a log in memory: what a page shows does not depend on the broker behind it.
describeWith(['chromium'], 'the console in Chromium', () => {
  let browser: Browser;
  let app: Service;
  let log: InMemoryLog;
  let store: IdempotencyStore;
  let url: string;
  beforeAll(async () => {
    browser = await openBrowser();
    const metrics = createMetrics({ name: 'ops-intake', version: '1.2.3' });
    ({ app, log, store } = appUnderTest({ CONSOLE: 'true' }, { metrics, clock: () => new Date() }));
    url = await app.listen({ port: 0, host: '127.0.0.1' });
    await post(app, INVALID);
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  it.each(Object.entries(VIEWS))('is accessible, fits and asks no other host: %s', async (name, viewport) => {
    const console = await openPage(browser, url, viewport);
    await console.page.getByText('invalid-submission').first().waitFor();
    await console.page.locator('#status.up').waitFor();
    expect(await console.axeViolations()).toEqual([]);
    expect(await console.overflowsSideways()).toBe(false);
    expect(await console.page.evaluate(EMPTY_CARDS)).toEqual(viewport.width < 500 ? [] : expect.anything());
    expect(await console.page.evaluate(REGIONS_TO_SCROLL_SIDEWAYS)).toEqual([]);
    expect(await console.layoutShifts()).toEqual([]);
    expect(console.foreignRequests).toEqual([]);
    expect(console.consoleProblems).toEqual([]);
    const folder = process.env['SCREENSHOTS'];
    if (folder) await console.page.screenshot({ path: `${folder}/console-${name}.png`, fullPage: true });
    await console.close();
  });

  it.each(Object.entries(VIEWPORTS))(
    'has a page for a path that does not exist: %s',
    async (_name, viewport) => {
      const problem = await openPage(browser, `${url}/no/such/page`, viewport);
      expect(await problem.page.getByRole('heading', { level: 1 }).textContent()).toBe(
        'There is nothing at /no/such/page',
      );
      expect(await problem.axeViolations()).toEqual([]);
      expect(await problem.overflowsSideways()).toBe(false);
      expect(problem.consoleProblems).toEqual([]);
      await Promise.all([problem.page.waitForURL(`${url}/`), problem.page.getByText('Console').click()]);
      await problem.page.locator('#status.up').waitFor();
      await problem.close();
    },
  );

  it.each(Object.entries(VIEWS))('moves nothing when its state changes: %s', async (_name, viewport) => {
    const { status } = log;
    const console = await openPage(browser, url, viewport);
    const text = (id: string) => console.page.locator(`#${id}`);
    await text('status-note').getByText('Submissions are accepted.', { exact: true }).waitFor();
    const error =
      'connect ECONNREFUSED 127.0.0.1:9092, and a text that takes several lines on a narrow screen';
    log.status = () => ({
      connected: false,
      error,
      throttledMs: 250,
      weaknesses: [{ setting: 'acks', reason: error }],
      queued: { records: 1_000, bytes: 1_500_000 },
    });
    await post(app, INVALID);
    await text('status-note').getByText('Submissions get 503: see Checks.', { exact: true }).waitFor();
    await console.page.locator('#status.down').waitFor();
    expect(await text('probe').textContent()).toBe('no answer');
    expect(await text('quota').textContent()).toBe('waits of 250 ms');
    expect(await text('checks').textContent()).toContain(error);
    expect(await text('checks').textContent()).toContain('Runbook docker/runbooks/broker-unavailable.md');
    expect(await text('checks').textContent()).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/);
    expect(await text('since').textContent()).toMatch(/^since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    expect(await console.page.title()).toBe('down · ops-intake console');
    expect(await console.axeViolations()).toEqual([]);
    log.status = status;
    await console.page.locator('#status.up').waitFor();
    expect(await console.layoutShifts()).toEqual([]);
    expect(console.consoleProblems).toEqual([]);
    await console.close();
  });

  it('shows that keys cannot be claimed, and what is answered then', async () => {
    const { claim, status, sync } = store;
    const console = await openPage(browser, url, VIEWPORTS['light']!);
    const { page } = console;
    await page.locator('#store.available').waitFor();
    const before = Number(await page.locator('#unavailable').textContent());
    store.status = () => ({ error: 'connect ECONNREFUSED', unsettled: 3, evictions: 0 });
    // As one of another process.
    Object.assign(store, { sync: undefined });
    store.claim = () => Promise.reject(new StoreUnavailable('connect ECONNREFUSED'));
    await post(app, ONE_BUY, { 'idempotency-key': 'a' });
    await page.locator('#store.unavailable').waitFor();
    await page
      .locator('#unavailable')
      .getByText(String(before + 1), { exact: true })
      .waitFor();
    expect(await page.locator('#store-note').textContent()).toContain('get 503');
    expect(await page.locator('#store-use').textContent()).toBe('not known; 3 not settled');
    expect(await console.axeViolations()).toEqual([]);
    Object.assign(store, { claim, status, sync });
    await page.locator('#store.available').waitFor();
    expect(await console.layoutShifts()).toEqual([]);
    await console.close();
  });

  it.each([true, false])(
    'draws what clients got in the last 15 minutes, JavaScript: %s',
    async (javaScriptEnabled) => {
      await post(app, ONE_BUY);
      const context = await browser.newContext({ javaScriptEnabled });
      const page = await context.newPage();
      await page.goto(url);
      await page.getByText(/^Peaks per second: [\d.]+ × 202, [\d.]+ × 4xx/).waitFor();
      for (const line of ['accepted', 'rejected'])
        expect(await page.locator(`#line-${line}`).getAttribute('points')).toMatch(/^(?:\d.* )?300,\d/);
      expect(await page.locator('noscript p').count()).toBe(javaScriptEnabled ? 0 : 1);
      if (javaScriptEnabled) await page.locator('#p50').getByText(/ ms$/).waitFor();
      await context.close();
    },
  );

  it('shows a row of a table as terms and values where there is no room for columns', async () => {
    await post(app, INVALID, { 'x-request-id': 'a-long-request-id-from-a-proxy-0123456789' });
    const console = await openPage(browser, url, VIEWS['narrow']!);
    const newest = console.page.locator('#problems').getByRole('row').first();
    await newest.getByText('a-long-request-id').waitFor();
    const terms = `[...document.querySelector('#problems tr').children].map((cell) => getComputedStyle(cell, '::before').content)`;
    expect(await console.page.evaluate(terms)).toEqual(
      ['Time (UTC)', 'Problem', 'Details', 'Request id'].map((term) => JSON.stringify(term)),
    );
    // All of a problem is in view at once, and it is still a table to a screen reader.
    expect((await newest.boundingBox())!.height).toBeLessThan(250);
    const region = console.page.getByRole('region', { name: 'Recent problems' });
    expect(await region.getByRole('columnheader').count()).toBe(4);
    expect(await newest.getByRole('cell').count()).toBe(4);
    await console.close();
  });

  it('prints all of its tables, without the form', async () => {
    const console = await openPage(browser, url, VIEWPORTS['light']!);
    const { page } = console;
    await page.getByText('invalid-submission').first().waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('form:visible').count()).toBe(0);
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('.scroll')].filter((region) => region.scrollHeight > region.clientHeight).length`,
      ),
    ).toBe(0);
    await console.close();
  });

  it('submits the sample, by keyboard, and shows where its record is', async () => {
    const console = await openPage(browser, url, VIEWPORTS['light']!);
    expect(await console.tabStops()).toEqual([
      'a Skip to content',
      'a ops-intake',
      'a API',
      'a Health',
      expect.stringContaining('div Checks'),
      expect.stringContaining('div Recent problems'),
      'input Submission id',
      'input or Idempotency-Key',
      'button Find',
      'textarea Operations (JSON)',
      'input Idempotency-Key (optional)',
      'button Submit',
    ]);
    await console.page.getByLabel('Idempotency-Key (optional)').focus();
    await console.page.keyboard.press('Enter');
    await console.page.getByText(/^202: record at topic operations, partition 0, offset \d+$/).waitFor();
    const answer = String(await console.page.locator('#answer').textContent());
    expect(answer).toContain('"operations": 2');
    await console.page
      .getByLabel('Submission id')
      .fill((JSON.parse(answer) as { submissionId: string }).submissionId);
    await console.page.keyboard.press('Enter');
    await console.page.getByRole('heading', { name: 'Accepted' }).waitFor();
    expect(await console.page.locator('dl').textContent()).toContain('offset');
    expect(await console.axeViolations()).toEqual([]);
    await Promise.all([console.page.waitForURL(`${url}/`), console.page.getByText('Console').click()]);
    await console.page.getByLabel('Operations (JSON)').fill(INVALID);
    await console.page.getByLabel('Operations (JSON)').focus();
    await console.page.keyboard.press('Tab');
    await console.page.keyboard.press('Tab');
    await console.page.keyboard.press('Enter');
    await console.page.getByText(/^422: /).waitFor();
    expect(await console.page.locator('#violations li').allTextContents()).toEqual([
      expect.stringMatching(/^#\/0\/operation /),
      expect.stringMatching(/^#\/0\/quantity /),
    ]);
    const newest = console.page.locator('#problems tr').first();
    await newest.getByText(/^#\/0\/operation /).waitFor();
    expect(await newest.getByText(/^#\/0\/quantity /).count()).toBe(1);
    // The browser reports a status of 400 or more on its console.
    expect(console.consoleProblems).toEqual([expect.stringContaining('422')]);
    await console.close();
  });
});

describeWith(['chromium'], 'the console in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  const metrics = () => createMetrics({ name: 'ops-intake', version: '1.2.3' });
  const listen = (app: Service, port = 0) => app.listen({ port, host: '127.0.0.1' });
  const start = () => appUnderTest({ CONSOLE: 'true' }, { metrics: metrics(), clock: () => new Date() }).app;

  it.each(Object.entries(VIEWS))(
    'says that the service is gone, and when it is back: %s',
    async (_name, view) => {
      const first = start();
      const url = await listen(first);
      const console = await openPage(browser, url, view);
      const { page } = console;
      await page.locator('#status.up').waitFor();
      await first.close();
      await page.locator('#status.unreachable').waitFor();
      await page.getByText('disconnected; reconnecting', { exact: true }).waitFor();
      expect(await page.title()).toBe('unreachable · ops-intake console');
      await page
        .getByText(/^This instance does not answer\. All values are from \d\d:\d\d:\d\d UTC\.$/)
        .waitFor();
      expect(await console.axeViolations()).toEqual([]);
      expect(await console.overflowsSideways()).toBe(false);

      await page.getByRole('button', { name: 'Submit' }).click();
      await page.getByText(/^no answer: /).waitFor();

      const second = start();
      await listen(second, Number(new URL(url).port));
      await page.locator('#status.up').waitFor();
      await page.getByText('live', { exact: true }).waitFor();
      await page.getByText('Submissions are accepted.', { exact: true }).waitFor();
      expect(await page.title()).toBe('ops-intake console');
      expect(await console.layoutShifts()).toEqual([]);
      await console.close();
      await second.close();
    },
  );

  it('reconnects after a proxy has answered 502', async () => {
    const app = start();
    const url = await listen(app);
    const console = await openPage(browser, 'about:blank', VIEWS['light']!);
    const { page } = console;
    let answers = 0;
    await page.route('**/console/events', (route) =>
      answers++ === 0 ? route.fulfill({ status: 502, body: 'Bad Gateway' }) : route.continue(),
    );
    await page.goto(url);
    await page.locator('#status.unreachable').waitFor();
    await page.getByText('disconnected; reconnecting', { exact: true }).waitFor();
    await page.locator('#status.up').waitFor();
    await console.close();
    await app.close();
  });

  it('shows a 429 as what the sample got, among the problems and in the figures', async () => {
    const { app } = appUnderTest(
      { CONSOLE: 'true', RATE_LIMIT: '1/hour' },
      { metrics: metrics(), clock: () => new Date() },
    );
    const console = await openPage(browser, await listen(app), VIEWS['narrow']!);
    const { page } = console;
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByText(/^202: /).waitFor();
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByText(/^429: Too many requests$/).waitFor();
    expect(await page.locator('#answer').textContent()).toContain('"status": 429');
    await page.locator('#limited').getByText('1', { exact: true }).waitFor();
    await page.locator('#problems').getByText(/^429 /).waitFor();
    expect(await page.locator('#answers').textContent()).toBe('20214291');
    // The limit is for submissions: the console goes on.
    await page.locator('#status.up').waitFor();
    expect(await console.axeViolations()).toEqual([]);
    expect(console.consoleProblems).toEqual([expect.stringContaining('429')]);
    await console.close();
    await app.close();
  });
});
