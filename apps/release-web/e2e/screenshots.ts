/** Writes the screenshots of the README: `npx nx run release-web:screenshots`. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startBuiltService, tryOnDocsPage } from '@workspace/testing';
import { openBrowser, openPage, VIEWPORTS } from '@workspace/testing/browser';

const PAGES: Readonly<Record<string, string>> = { releases: '/releases/', branch: '/releases/8.4/' };

const folder = join(import.meta.dirname, '../docs');
await mkdir(folder, { recursive: true });
const service = await startBuiltService('release-web');
const { url } = service;
const browser = await openBrowser();
try {
  for (const [page, path] of Object.entries(PAGES)) {
    for (const [name, viewport] of Object.entries(VIEWPORTS)) {
      const opened = await openPage(browser, url + path, viewport);
      await opened.page.screenshot({ path: join(folder, `${page}-${name}.png`) });
      await opened.close();
    }
  }
  await tryOnDocsPage(
    url,
    { operationId: 'branch', parameters: { branch: '8.4' } },
    { file: join(folder, 'api-reference.png'), host: 'localhost:3001' },
  );
} finally {
  await browser.close();
  await service.stop();
}
