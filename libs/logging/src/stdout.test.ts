import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs a script that has a logger and writes to `stdout`, a file of at most 1 KiB. */
const run = (stdout: string, script: string, ...args: string[]) => {
  const file = openSync(stdout, 'a');
  const source = `
    import { truncateSync } from 'node:fs';
    const { createLogger } = await import(${JSON.stringify(`${__dirname}/logger.ts`)});
    const logger = createLogger({ name: 'demo', level: 'info' });
    ${script}`;
  const node = [process.execPath, '--input-type=module', '--no-warnings', '-e', source, ...args];
  const { status, signal, stderr } = spawnSync('bash', ['-c', 'ulimit -f 1; exec "$@"', 'bash', ...node], {
    stdio: ['ignore', file, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(file);
  return { status, signal, stderr };
};

describe('stdout', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stdout-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is left alone when the disk is full: nothing is thrown, and nothing waits', () => {
    const script = `
      for (let line = 0; line < 3; line += 1) logger.info('does not fit');
      logger.fatal('does not fit');
      process.stderr.write('goes on');`;
    expect(run('/dev/full', script)).toEqual({ status: 0, signal: null, stderr: 'goes on' });
  });

  it('gets lines again when there is room again, each on a line of its own', () => {
    const file = join(folder, 'log');
    // A file that may not grow is as good as a disk that is full; the second line is cut by it.
    const script = `
      for (let line = 0; line < 20; line += 1) logger.info('-'.repeat(line === 0 ? 400 : 100_000));
      truncateSync(process.argv[1], 700);
      for (const text of ['one', 'two']) logger.info(text);`;
    expect(run(file, script, file)).toEqual({ status: 0, signal: null, stderr: '' });
    const [first, cut, ...rest] = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(JSON.parse(first!)).toMatchObject({ msg: '-'.repeat(400) });
    expect(cut).toMatch(/^\{.*-$/);
    expect(rest.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'one' }, { msg: 'two' }]);
  });
});
