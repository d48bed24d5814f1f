import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runTool, workspaceRoot } from '@workspace/testing';

const TEMPORARY = ['tmp/publishing', 'tmp/export', 'tmp/signing'].map((folder) =>
  join(workspaceRoot, folder),
);
afterAll(() => TEMPORARY.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Runs the commands of a page, one after the other. */
const runPage = (page: string): Promise<string> => {
  const text = readFileSync(join(__dirname, '..', page), 'utf8');
  const script = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block).join('\n');
  // A command that fails leaves no service behind: it would keep the output open, and the test would wait for its end.
  const clean = "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT";
  return runTool('bash', [
    '-eu',
    '-c',
    `${clean}\ncd '${workspaceRoot}'\n${script.replace(/^.*\bimport --url\b.*$/gm, '$& && exit 1 || [ $? -eq 4 ]')}`,
  ]);
};

it('every command of docs/publishing.md works as written', async () => {
  const out = await runPage('docs/publishing.md');
  expect(out).toContain('"version": "8.4.25RC1"');
  expect(out).toContain('valid: 557 releases in 25 branches');
  expect(out).toContain('promote <version> --kind security|bugfix');
});

it('every command of the page of the export works as written', async () => {
  expect(await runPage('src/features/export/README.md')).toContain('tmp/export/mirror/nginx/http.conf');
});

it('every command of docs/signing.md works as written', async () => {
  expect(await runPage('docs/signing.md')).toContain('root 4 is published');
});
