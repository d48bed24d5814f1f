import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NOT_A_PAGE, publishedPath, titleOf, workspaceFiles, workspaceRoot } from './documents.ts';
import { pagesOf, SIDEBAR } from './sidebar.ts';

const { all, published } = workspaceFiles();
const markdown = [...all].filter((file) => file.endsWith('.md'));
const inSidebar = pagesOf(SIDEBAR);

describe('the pages of the site', () => {
  it('are all Markdown files but those that are listed with a reason', () => {
    const missing = markdown.filter((file) => !published.has(file));
    expect(missing.sort()).toEqual(Object.keys(NOT_A_PAGE).sort());
    for (const reason of Object.values(NOT_A_PAGE)) expect(reason).toMatch(/\w+ \w+/);
  });

  it('have a path of their own each', () => {
    const paths = [...published.values()];
    expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([]);
  });

  it('are each in the sidebar once, and nothing else is but what the build writes', () => {
    const files = inSidebar.filter((page) => typeof page === 'string');
    expect(files.sort()).toEqual(markdown.filter((file) => published.has(file)).sort());
    expect(inSidebar.flatMap((page) => (typeof page === 'string' ? [] : page.file))).toEqual([
      'release-web/api-reference.html',
      'ops-intake/api-reference.html',
      'ops-intake/asyncapi.yaml',
      'ip-locate/api-reference.html',
    ]);
  });

  it('have a title', () => {
    for (const file of markdown.filter((one) => published.has(one))) expect(titleOf(file)).toMatch(/\w/);
    expect(titleOf('README.md')).toBe('Three services');
  });

  // prettier.tables.js
  it('have tables whose columns are not aligned: a changed row is one changed line', () => {
    const aligned = markdown.filter((file) =>
      /^\|.*(?:[^|\s] {2,}\||\| {2,}[^|\s]|\| :?-{4,})/m.test(
        readFileSync(join(workspaceRoot, file), 'utf8').replaceAll(/^```[^]*?^```/gm, ''),
      ),
    );
    expect(aligned).toEqual([]);
  });
});

describe('publishedPath', () => {
  it.each([
    ['README.md', 'index.md'],
    ['CHANGELOG.md', 'changelog.md'],
    ['.github/CONTRIBUTING.md', 'contributing.md'],
    ['apps/ops-intake/README.md', 'ops-intake/index.md'],
    ['apps/ops-intake/docs/kafka.md', 'ops-intake/kafka.md'],
    ['libs/kafka-broker/README.md', 'libs/kafka-broker/index.md'],
    ['apps/ip-locate/docs/page-dark.png', 'ip-locate/page-dark.png'],
    ['docker/runbooks/README.md', 'docker/runbooks/index.md'],
    ['libs/service-kit/docs/settings.md', 'libs/service-kit/settings.md'],
  ])('of %s is %s', (file, path) => {
    expect(publishedPath(file)).toBe(path);
  });
});
