import type { Browser } from 'playwright-core';
import { createMetrics, type Service } from '@workspace/service-kit';
import { describeWith } from '@workspace/testing';
import { openBrowser, openPage, VIEWPORTS } from '@workspace/testing/browser';
import { appUnderTest, post } from '../test/app-under-test.ts';

jest.setTimeout(60_000);

// On a log in memory: what a page shows does not depend on the broker behind it.
describeWith(['chromium'], 'the console in Chromium', () => {
  let browser: Browser;
  let app: Service;
  let url: string;
  beforeAll(async () => {
    browser = await openBrowser();
    const metrics = createMetrics({ name: 'ops-intake', version: '1.2.3' });
    ({ app } = appUnderTest({ CONSOLE: 'true' }, { metrics, clock: () => new Date() }));
    url = await app.listen({ port: 0, host: '127.0.0.1' });
    await post(app, '[{"operation":"hold","unit-cost":"10.00","quantity":1e2}]');
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  it.each(Object.entries(VIEWPORTS))(
    'is accessible, fits and asks no other host: %s',
    async (name, viewport) => {
      const console = await openPage(browser, url, viewport);
      await console.page.getByText('invalid-submission').waitFor();
      await console.page.locator('#status.up').waitFor();
      expect(await console.axeViolations()).toEqual([]);
      expect(await console.overflowsSideways()).toBe(false);
      expect(console.foreignRequests).toEqual([]);
      expect(console.consoleProblems).toEqual([]);
      const folder = process.env['SCREENSHOTS'];
      if (folder) await console.page.screenshot({ path: `${folder}/console-${name}.png`, fullPage: true });
      await console.close();
    },
  );

  it.each(Object.entries(VIEWPORTS))(
    'has a page for a path that does not exist: %s',
    async (_name, viewport) => {
      const problem = await openPage(browser, `${url}/no/such/page`, viewport);
      expect(await problem.page.getByRole('heading', { level: 1 }).textContent()).toBe('Not found');
      expect(await problem.axeViolations()).toEqual([]);
      expect(await problem.overflowsSideways()).toBe(false);
      expect(problem.consoleProblems).toEqual([]);
      await Promise.all([problem.page.waitForURL(`${url}/`), problem.page.getByText('Console').click()]);
      await problem.page.locator('#status.up').waitFor();
      await problem.close();
    },
  );

  it('submits the sample, by keyboard, and shows where its record is', async () => {
    const console = await openPage(browser, url, VIEWPORTS['light']!);
    expect(await console.tabStops()).toEqual([
      'a API reference',
      expect.stringContaining('div Checks'),
      expect.stringContaining('div Recent problems'),
      'textarea Operations (JSON)',
      'input Idempotency-Key (optional)',
      'button Submit',
    ]);
    await console.page.getByLabel('Idempotency-Key').focus();
    await console.page.keyboard.press('Enter');
    await console.page.getByText(/^202: record at topic operations, partition 0, offset \d+$/).waitFor();
    expect(await console.page.locator('#answer').textContent()).toContain('"operations": 2');
    await console.page.getByLabel('Operations (JSON)').fill('[{"operation":"hold"}]');
    await console.page.keyboard.press('Tab');
    await console.page.keyboard.press('Tab');
    await console.page.keyboard.press('Enter');
    await console.page.getByText(/^422: /).waitFor();
    // The browser reports a status of 400 or more on its console.
    expect(console.consoleProblems).toEqual([expect.stringContaining('422')]);
    await console.close();
  });
});
