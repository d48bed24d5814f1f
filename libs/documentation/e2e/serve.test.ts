import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '@workspace/testing';
import { stagingFolder, workspaceRoot } from '../src/documents.ts';

describe('serving the site while writing', () => {
  let child: ChildProcess;
  let ended: Promise<unknown>;
  beforeAll(() => {
    child = spawn(process.execPath, ['--import', 'tsx', 'libs/documentation/src/main.ts', 'serve'], {
      cwd: workspaceRoot,
      env: { ...process.env, TSX_TSCONFIG_PATH: 'libs/documentation/tsconfig.json', NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    ended = once(child, 'exit');
  });
  afterAll(async () => {
    child.kill();
    await ended;
  });

  it('shows the pages, and each again when its document is saved', async () => {
    let url: string | undefined;
    for await (const line of createInterface(child.stdout!)) {
      [url] = /http:\/\/\S+/.exec(line) ?? [];
      if (url !== undefined) break;
    }
    expect(await (await fetch(url!)).text()).toContain('<title>');

    const page = join(stagingFolder, 'security.md');
    writeFileSync(page, 'an old text');
    const now = new Date();
    utimesSync(join(workspaceRoot, '.github/SECURITY.md'), now, now);
    await eventually('the saved document', () => readFileSync(page, 'utf8').startsWith('# Security'));
  });
});
