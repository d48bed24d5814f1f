import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceOutput, workspaceRoot } from '@workspace/testing';
import { deadLinks } from '../src/dead-links.ts';

const read = (file: string): string => readFileSync(join(workspaceRoot, file), 'utf8');

const documents = workspaceOutput('git', 'ls-files', '--cached', '--others', '--exclude-standard', '*.md')
  .split('\n')
  .filter(Boolean);

describe.each(documents)('%s', (file) => {
  it('has no dead link', () => {
    expect(deadLinks(workspaceRoot, file)).toEqual([]);
  });
});

describe('the documentation', () => {
  it.each([
    ['README.md', 600],
    ['docker/README.md', 500],
    ['apps/release-web/README.md', 700],
    ['apps/ops-intake/README.md', 700],
    ['apps/ip-locate/README.md', 700],
  ])('has at most its limit of words in %s', (file, limit) => {
    expect(read(file).trim().split(/\s+/).length).toBeLessThanOrEqual(limit);
  });

  it('has at most 40,000 words in all pages together', () => {
    const words = documents.reduce((sum, file) => sum + read(file).trim().split(/\s+/).length, 0);
    expect(words).toBeLessThanOrEqual(40_000);
  });

  it('names only targets of Nx that exist', () => {
    // The changelog also names those that are gone.
    const named = documents
      .filter((file) => file !== 'CHANGELOG.md')
      .flatMap((file) => [
        ...[...read(file).matchAll(/npx nx run ([\w-]+):([\w-]+)/g)].map(([command, project, target]) => ({
          file,
          command,
          project: project!,
          target: target!,
        })),
        ...[
          ...read(file).matchAll(/npx nx (?!(?:run|run-many|affected|graph|release) )([\w-]+) ([\w-]+)/g),
        ].map(([command, target, project]) => ({ file, command, project: project!, target: target! })),
      ]);
    expect(named.length).toBeGreaterThan(30);
    const { nodes } = (
      JSON.parse(workspaceOutput('npx', 'nx', 'graph', '--print')) as {
        graph: { nodes: Record<string, { data: { targets: Record<string, unknown> } }> };
      }
    ).graph;
    expect(named.filter(({ project, target }) => nodes[project]?.data.targets[target] === undefined)).toEqual(
      [],
    );
  });

  it('runs by npx only what npm ci installs, or one version of another package', () => {
    const programs = documents.flatMap((file) =>
      [...read(file).matchAll(/npx (?!-)([\w@./-]+)/g)].map(([, program]) => ({ file, program: program! })),
    );
    const isKnown = (program: string): boolean =>
      /.@\d/.test(program) || existsSync(join(workspaceRoot, 'node_modules/.bin', program));
    expect(programs.length).toBeGreaterThan(40);
    expect(programs.filter(({ program }) => !isKnown(program))).toEqual([]);
  });

  it('has each entry of the changelog once, under its service', () => {
    const entries = read('CHANGELOG.md').match(/^- .*$/gm)!;
    expect(entries.filter((entry, index) => entries.indexOf(entry) !== index)).toEqual([]);
    const misplaced = /^- (All services|release-web|ops-intake|ip-locate|docker|Workflows)\b.*?: /;
    expect(entries.filter((entry) => misplaced.test(entry))).toEqual([]);
  });

  it('has a command in CONTRIBUTING that runs one test file', () => {
    const [command] = /^cd apps\/\S+ && npx jest \S+$/m.exec(read('.github/CONTRIBUTING.md'))!;
    expect(workspaceOutput('bash', '-c', `${command} --json`)).toContain('"success":true');
  });
});
