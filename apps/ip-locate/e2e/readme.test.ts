import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type RunningService, startService } from './service.ts';

/** The commands of the README and what it says they print. */
function examples(): [command: string, output: string][] {
  const text = readFileSync(join(__dirname, '../README.md'), 'utf8');
  const blocks = [...text.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '');
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((example): [string, string] => {
        const end = example.indexOf('\n');
        return [example.slice(0, end), example.slice(end + 1).trimEnd()];
      }),
  );
}

describe('the examples of the README', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ TRUST_PROXY: 'loopback' });
  });
  afterAll(() => service.stop());

  it.each(examples())('%s', async (command, output) => {
    const real = command.replace('localhost:3002', `127.0.0.1:${service.port}`);
    const { stdout } = await promisify(execFile)('sh', ['-c', real]);
    expect(stdout.replaceAll('\r\n', '\n').trimEnd()).toBe(output);
  });

  it('are many', () => {
    expect(examples().length).toBeGreaterThan(6);
  });
});
