import { toolOptions } from './tool-options.ts';

describe('toolOptions', () => {
  const { argv } = process;
  afterEach(() => {
    process.argv = argv;
    jest.restoreAllMocks();
  });

  /** Runs a tool with one option up to where it would end the process. */
  const run = (...args: string[]) => {
    let [stdout, stderr] = ['', ''];
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((stdout += text as string)));
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((stderr += text as string)));
    jest.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Error(`exit ${code}`);
    });
    process.argv = ['node', 'tool.ts', ...args];
    try {
      return { values: { ...toolOptions('Usage: tool', { count: { type: 'string', default: '10' } }) } };
    } catch (error) {
      return { end: (error as Error).message, stdout, stderr };
    }
  };

  it.each([
    [[], '10'],
    [['--count', '3'], '3'],
    [['--count=4'], '4'],
  ])('reads %j', (args, count) => {
    expect(run(...args)).toEqual({ values: { count } });
  });

  it('prints the help on standard output', () => {
    expect(run('--help')).toEqual({ end: 'exit 0', stdout: 'Usage: tool\n', stderr: '' });
  });

  it.each([
    ['--counts', "Unknown option '--counts'. --help shows what is possible.\n"],
    ['--count', "Option '--count <value>' argument missing. --help shows what is possible.\n"],
  ])('says in one line what is wrong with %s', (arg, stderr) => {
    expect(run(arg)).toEqual({ end: 'exit 2', stdout: '', stderr });
  });
});
