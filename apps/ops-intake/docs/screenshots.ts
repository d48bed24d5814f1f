// Takes the pictures of the README: the console of the real app, on a log in memory, under a load that changes.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMetrics } from '@workspace/service-process';
import { tryOnDocsPage } from '@workspace/testing';
import { openBrowser, openPage, VIEWPORTS } from '@workspace/testing/browser';
import { createIntakeMetrics } from '../src/adapters/prometheus/intake-metrics.ts';
import { appUnderTest, ONE_BUY, post } from '../test/app-under-test.ts';

const SECONDS = 60;

const metrics = createMetrics({ name: 'ops-intake', version: '1.2.3' });
const intakeMetrics = createIntakeMetrics(metrics);
const { app } = appUnderTest({ CONSOLE: 'true' }, { metrics, clock: () => new Date() });
const url = await app.listen({ port: 0, host: '127.0.0.1' });
const browser = await openBrowser();
const pages = await Promise.all(
  Object.entries(VIEWPORTS).map(async ([name, viewport]) => ({
    name,
    open: await openPage(browser, url, viewport),
  })),
);
for (let second = 0; second < SECONDS; second += 1) {
  const submissions = Math.round(120 + 60 * Math.sin(second / 6) + 25 * Math.sin(second * 1.7));
  for (let index = 0; index < submissions; index += 1) {
    await post(app, ONE_BUY);
    intakeMetrics.settled('accepted', 1);
  }
  if (second % 20 === 7) await post(app, '[{"operation":"hold","unit-cost":10.00,"quantity":1e2}]');
  if (second % 30 === 11) await post(app, '[{"operation":"buy",]');
  await sleep(1_000);
}
for (const { name, open } of pages) {
  await open.page.getByRole('button', { name: 'Submit' }).click();
  await open.page.getByText(/^202: /).waitFor();
  await open.page.screenshot({ path: join(import.meta.dirname, `console-${name}.png`), fullPage: true });
}
await browser.close();
await tryOnDocsPage(
  url,
  { operationId: 'submit', body: ONE_BUY },
  { file: join(import.meta.dirname, 'api-reference.png'), host: 'localhost:3000' },
);
await app.close();
