import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { workspaceRoot } from '@workspace/testing';

describe.each(['ip-locate', 'release-web', 'ops-intake'])('nx serve %s', (name) => {
  let child: ChildProcess;
  let exit: Promise<unknown>;
  const seen: string[] = [];
  const waiting: { text: string; resolve: () => void }[] = [];

  /** Resolves with the next line that has this text. */
  const nextLine = (text: string): Promise<void> => new Promise((resolve) => waiting.push({ text, resolve }));

  beforeEach(() => {
    child = spawn('npx', ['nx', 'serve', name], {
      cwd: workspaceRoot,
      detached: true,
      env: {
        ...process.env,
        PORT: '0',
        KAFKA_BOOTSTRAP_SERVERS: '127.0.0.1:9',
        NX_DAEMON: 'false',
        NX_TUI: 'false',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    exit = once(child, 'exit');
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream!).on('line', (line) => {
        seen.push(line);
        const index = waiting.findIndex(({ text }) => line.includes(text));
        if (index >= 0) waiting.splice(index, 1)[0]!.resolve();
      });
    }
  });
  afterEach(async () => {
    process.kill(-child.pid!, 'SIGINT');
    await exit;
  });

  it('starts, and starts anew when a file is saved', async () => {
    await nextLine('ready for requests');
    const again = nextLine('ready for requests');
    const file = join(workspaceRoot, 'apps', name, 'src/app.ts');
    // The watcher learns of the files one by one after the start and says nothing when it has them: save until it sees it.
    const save = setInterval(() => utimesSync(file, new Date(), new Date()), 2_000);
    await nextLine('draining');
    clearInterval(save);
    await again;
    expect(seen.some((line) => line.includes('Restarting'))).toBe(true);
  });
});
