import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deadLinks } from './dead-links.ts';

describe('the links of a document', () => {
  const root = mkdtempSync(join(tmpdir(), 'documents-'));
  afterAll(() => rmSync(root, { recursive: true }));

  it('are dead when the file or the heading is missing', () => {
    mkdirSync(join(root, 'docs'));
    writeFileSync(
      join(root, 'README.md'),
      [
        '[a](docs/page.md) [b](docs/page.md#first-part) [c](docs/page.md#second) [d](docs/none.md)',
        '[![e](none.png)](docs) <img src="none.svg"> [f](https://none.example/) `[g](none)`',
        '```sh\n[h](none)\n```\n[i](docs/page.md#comment) [j](../none.md)',
      ].join('\n'),
    );
    writeFileSync(
      join(root, 'docs/page.md'),
      '# First part\n[k](#first-part) [l](../README.md) [m](#none) [n](#ops-intakes-kafka)\n## `ops-intake`’s [Kafka](x)\n```sh\n# Comment\n```\n',
    );
    expect(deadLinks(root, 'README.md')).toEqual([
      'docs/page.md#second',
      'docs/none.md',
      'none.png',
      'none.svg',
      'docs/page.md#comment',
      '../none.md',
    ]);
    expect(deadLinks(root, 'docs/page.md')).toEqual(['#none', 'x']);
  });
});
