import { execFileSync } from 'node:child_process';
import { describeWith, runTool, workspaceRoot } from '@workspace/testing';
import { filesIn } from '../test/files.ts';

// Built from its Go module on first use, in ten seconds.
describeWith(['go', 'shellcheck'], 'the shell', () => {
  const scripts = execFileSync('git', ['grep', '-lE', '^#!.*sh$'], { cwd: workspaceRoot, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);

  it('of every script passes shellcheck', async () => {
    expect(scripts).toEqual(
      expect.arrayContaining(['.ci/run', '.ci/install-tools', 'docker/engine/run', 'docker/tools/program']),
    );
    await runTool(
      'shellcheck',
      scripts.map((script) => `${workspaceRoot}/${script}`),
    );
    await expect(
      runTool('shellcheck', ['-s', 'bash', '-'], 'echo $undefined_and_unquoted\n'),
    ).rejects.toThrow('SC2086');
  });

  it('of every workflow, and the workflows themselves, pass actionlint', async () => {
    const actionlint = (await runTool(`${workspaceRoot}/docker/tools/program`, ['actionlint'])).trim();
    await runTool(
      actionlint,
      filesIn('.github/workflows', '.yml').map((file) => `${workspaceRoot}/${file}`),
    );
    await expect(runTool(actionlint, ['-'], 'on: push\njobs: { x: { steps: [] } }')).rejects.toThrow(
      'runs-on',
    );
  });
});
