// `nx docs`: the site in dist/libs/documentation. `nx serve documentation`: the same in a browser, renewed when a document is saved.
import { rmSync, watchFile } from 'node:fs';
import { join } from 'node:path';
import { build, createServer } from 'vitepress';
import { siteFolder, workspaceFiles, workspaceRoot } from './documents.ts';
import { serviceDocuments } from './service-documents.ts';
import { deadSiteLinks } from './site-links.ts';
import { stage, stageFile } from './stage.ts';

const root = join(workspaceRoot, 'libs/documentation');
const files = workspaceFiles();
stage(files, await serviceDocuments());

if (process.argv[2] === 'serve') {
  const server = await createServer(root, { host: '127.0.0.1' });
  await server.listen();
  server.printUrls();
  // Vite's own listener closes the server first, and waits for ever when that cancels a build of its dependencies.
  process.removeAllListeners('SIGTERM');
  for (const [file, page] of files.published)
    watchFile(join(workspaceRoot, file), { interval: 300 }, () => stageFile(file, page));
} else {
  rmSync(siteFolder, { recursive: true, force: true });
  await build(root);
  const dead = deadSiteLinks(siteFolder, process.env['DOCS_BASE']);
  if (dead.length > 0) {
    console.error(`dead links:\n${dead.join('\n')}`);
    process.exit(1);
  }
  console.log(`The site is in ${siteFolder}.`);
}
