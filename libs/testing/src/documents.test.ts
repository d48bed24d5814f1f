import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deadLinks, documentsOf } from './documents.ts';

describe('the links of a document', () => {
  const project = mkdtempSync(join(tmpdir(), 'documents-'));
  afterAll(() => rmSync(project, { recursive: true }));

  it('are dead when the file or the heading is missing', () => {
    mkdirSync(join(project, 'docs'));
    writeFileSync(
      join(project, 'README.md'),
      '[a](docs/page.md) [b](docs/page.md#first-part) [c](docs/page.md#second) [d](docs/none.md) <img src="none.png"> [e](../x.md)',
    );
    writeFileSync(
      join(project, 'docs/page.md'),
      '# First part\n[f](#first-part) [g](../README.md) [h](#none)\n',
    );
    const documents = documentsOf(project);
    expect([...documents.keys()]).toEqual(['README.md', 'docs/page.md']);
    expect(deadLinks(project, documents, 'README.md')).toEqual([
      'docs/page.md#second',
      'docs/none.md',
      'none.png',
    ]);
    expect(deadLinks(project, documents, 'docs/page.md')).toEqual(['#none']);
  });
});
