import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { workspaceRoot } from '@workspace/testing';
import { DOCUMENTATION } from '../test/documents.ts';
import { type RunningService, startService } from './service.ts';

interface Example {
  /** the settings before the last `node main.js` above it: `TRUST_PROXY=loopback`, or nothing */
  readonly settings: string;
  readonly command: string;
  readonly output: string;
}

/** The commands of the documentation and what it says they print. */
const examples = (): Example[] => {
  const found: Example[] = [];
  let settings = '';
  for (const [block] of DOCUMENTATION.matchAll(/^(?:##? .*|```(?:console|sh)\n[\s\S]*?^```)$/gm)) {
    // A new section starts from the defaults.
    if (/^##? /.test(block)) settings = '';
    else if (block.startsWith('```sh'))
      settings = /^(.*)\bnode main\.js$/m.exec(block)?.[1]?.trim() ?? settings;
    else {
      for (const example of block.slice('```console\n'.length, -'```'.length).split(/^\$ /m).slice(1)) {
        const end = example.indexOf('\n');
        found.push({ settings, command: example.slice(0, end), output: example.slice(end + 1).trimEnd() });
      }
    }
  }
  return found;
};

describe('the examples of the documentation', () => {
  const services = new Map<string, Promise<RunningService>>();
  /** The service as the documentation says to start it. */
  const serviceWith = (settings: string): Promise<RunningService> => {
    const known = services.get(settings);
    if (known) return known;
    const env = Object.fromEntries(
      settings
        .split(' ')
        .filter(Boolean)
        .map((one) => one.split('=') as [string, string]),
    );
    const started = startService(env);
    services.set(settings, started);
    return started;
  };
  afterAll(async () => {
    for (const service of services.values()) await (await service).stop();
  });

  it.each(examples())('$settings $command', async ({ settings, command, output }) => {
    const { port } = await serviceWith(settings);
    const real = command.replace('localhost:3002', `127.0.0.1:${port}`);
    const { stdout } = await promisify(execFile)('sh', ['-c', real], { cwd: workspaceRoot });
    expect(stdout.replaceAll('\r\n', '\n').trimEnd()).toBe(output);
  });

  it('are many, and some need settings', () => {
    expect(examples().length).toBeGreaterThan(6);
    expect(examples().some(({ settings }) => settings === 'TRUST_PROXY=loopback')).toBe(true);
  });
});
