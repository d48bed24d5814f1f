import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runTool, workspaceRoot } from '@workspace/testing';

afterAll(() => rmSync(join(workspaceRoot, 'tmp/publishing'), { recursive: true, force: true }));

it('every command of docs/publishing.md works as written', async () => {
  const text = readFileSync(join(__dirname, '../docs/publishing.md'), 'utf8');
  const script = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block).join('\n');
  const out = await runTool('bash', ['-eu', '-c', `cd '${workspaceRoot}'\n${script}`]);
  expect(out).toContain('"version": "8.4.25RC1"');
  expect(out).toContain('valid: 557 releases in 25 branches');
  expect(out).toContain('promote <version> --kind security|bugfix');
});
