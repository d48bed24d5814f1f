import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commonProblems } from '@workspace/service-kit/problems';
import {
  documentedSettings,
  documentsOf,
  problemRows,
  readmeTable,
  settingsOf,
  shownCommands,
} from '@workspace/testing';
import { Config } from '../src/config.ts';
import { options } from '../src/features.ts';
import { problems } from '../src/problems.ts';
import { testService } from './service.ts';

const PROJECT = join(__dirname, '..');
const DOCUMENTS = documentsOf(PROJECT);

const examples = globSync(['README.md', 'src/features/*/README.md'], { cwd: PROJECT }).flatMap((file) =>
  shownCommands(readFileSync(join(PROJECT, file), 'utf8')),
);

describe('the documentation', () => {
  it('has each setting once, with its default', () => {
    expect(
      documentedSettings('release-web', ['Process and listeners', 'Trusted proxies', 'OpenTelemetry']),
    ).toEqual(settingsOf(Config));
  });

  it('has the problems of the catalogue', () => {
    expect(readmeTable(join(PROJECT, 'docs/errors.md'), 'Errors')).toEqual(
      problemRows(problems, commonProblems),
    );
  });

  it.each(options)('has the problems of $name on its page', ({ name, problems: own = {} }) => {
    const file = join(PROJECT, 'src/features', name, 'README.md');
    const listed = Object.keys(own).length === 0 ? [] : readmeTable(file, 'Errors');
    expect(listed).toEqual(problemRows(own));
  });

  it('has examples', () => {
    expect(examples.length).toBeGreaterThanOrEqual(6);
  });

  it.each(examples)('shows what $command answers', async ({ command, lines }) => {
    const path = /^curl -s '?localhost:3001([^']*)'?$/.exec(command)?.[1];
    const service = await testService({ PUBLIC_BASE_URL: 'http://localhost:3001' });
    const { body } = await service.app.inject(path!);
    const shown = lines.join('\n').replace('24.21.0', process.versions.node);
    if (shown.endsWith('…')) expect(body.slice(0, shown.length - 1)).toBe(shown.slice(0, -1));
    else expect(body).toBe(shown);
  });
});

describe('the section about new endpoints', () => {
  const section = /## Add an endpoint\n(.*)/s.exec(DOCUMENTS.get('README.md')!)![1]!;
  const places = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file!);

  it('names files that exist', () => {
    const named = [...section.matchAll(/`((?:src|test)\/[^`]+?\.\w+)`/g)].map(([, file]) => file!);
    expect(named.length).toBeGreaterThan(places.length - 2);
    expect(named.filter((file) => !existsSync(join(PROJECT, file)))).toEqual([]);
  });

  it('names every place of its example, and no other', () => {
    const example = /\/releases\/states\.php|\bstatesView\b|\bPhpStates\b|\bbranchStates\b/;
    const found = ['README.md', ...globSync(['src/**/*.ts', 'test/**/*.snap'], { cwd: PROJECT })].filter(
      (file) => !file.endsWith('.test.ts') && example.test(readFileSync(join(PROJECT, file), 'utf8')),
    );
    expect([...found, 'test/contract.test.ts'].sort()).toEqual([...places].sort());
    expect(readFileSync(join(PROJECT, 'test/contract.test.ts'), 'utf8')).toContain('/releases/states.php');
  });
});

describe('the list of paths', () => {
  const section = /\n## Paths\n(.*?)\n## /s.exec(DOCUMENTS.get('README.md')!)![1]!;
  const listed = [...section.matchAll(/`(\/[^`]*)`/g)].map(([, path]) => path!);

  it('has every path of the API reference, or the path that it is an alias of', async () => {
    const service = await testService();
    const document = (await service.app.inject('/openapi.json')).json();
    const paths = Object.keys(document.paths);
    expect(paths.length).toBeGreaterThan(30);
    const isListed = (path: string): boolean => {
      const pattern = new RegExp(`^${path.replace(/\./g, '\\.').replace(/\{\w+\}/g, '[^/]+')}(\\.php|/)?$`);
      return listed.some((candidate) => pattern.test(candidate));
    };
    expect(paths.filter((path) => !isListed(path))).toEqual([]);
  });
});
