import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deadSiteLinks } from './site-links.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'site-'));
  mkdirSync(join(folder, 'web'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (page: string, ...links: string[]): void =>
  writeFileSync(
    join(folder, page),
    `<h1 id="top">x</h1>${links.map((link) => `<a class="a" href="${link}">x</a>`).join('')}`,
  );

it('finds links to missing files and to missing places', () => {
  write(
    'index.html',
    '/web/',
    'web/index.html#top',
    '#top',
    'https://example.org/',
    'data:,',
    'gone.html',
    '#gone',
  );
  write('web/index.html', '../', '../index.html#nowhere', '/web');
  expect(deadSiteLinks(folder).sort()).toEqual([
    'index.html: #gone',
    'index.html: gone.html',
    'web/index.html: ../index.html#nowhere',
    'web/index.html: /web',
  ]);
});

it('expects every link under the path of the site', () => {
  write('index.html', '/docs/web/', '/web/');
  write('web/index.html', '/docs/');
  expect(deadSiteLinks(folder, '/docs/')).toEqual(['index.html: /web/']);
});
