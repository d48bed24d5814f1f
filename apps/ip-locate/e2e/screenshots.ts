/** Writes the screenshots of the README: `npx nx run ip-locate:screenshots`. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openBrowser, openPage, VIEWPORTS } from '@workspace/testing/browser';
import { startBuiltService, tryOnDocsPage } from '@workspace/testing';

const folder = join(import.meta.dirname, '../docs');
await mkdir(folder, { recursive: true });
const service = await startBuiltService('ip-locate', { TRUST_PROXY: 'loopback' });
const { url } = service;
const browser = await openBrowser();
try {
  for (const [name, viewport] of Object.entries(VIEWPORTS)) {
    const { page, close } = await openPage(browser, url, viewport, { 'x-forwarded-for': '8.8.8.8' });
    // The port differs each time; the picture should not.
    await page.evaluate(`{
      const command = document.querySelector('.command');
      command.textContent = command.textContent.replace('${new URL(url).host}', 'localhost:3002');
    }`);
    await page.screenshot({ path: join(folder, `page-${name}.png`), fullPage: true });
    await close();
  }
  await tryOnDocsPage(
    url,
    { operationId: 'locate', parameters: { ip: '8.8.8.8' } },
    { file: join(folder, 'api-reference.png'), host: 'localhost:3002' },
  );
} finally {
  await browser.close();
  await service.stop();
}
