import { processTerminal } from './terminal.ts';

describe('processTerminal', () => {
  /** What progress writes to standard error; undefined when there is none. */
  const progressOn = (stderr: object, env: NodeJS.ProcessEnv = {}): string | undefined => {
    let written = '';
    const write = (text: string) => (written += text);
    const { progress } = processTerminal({ stdout: { write }, stderr: { ...stderr, write }, env } as never);
    progress?.('city 31.4 of 60.2 MB');
    return progress && written;
  };

  it('replaces one line on a terminal', () => {
    expect(progressOn({ isTTY: true, columns: 80 })).toBe('\r\u001b[Kcity 31.4 of 60.2 MB');
  });

  it('cuts what would wrap, because that could not be replaced', () => {
    expect(progressOn({ isTTY: true, columns: 10 })).toBe('\r\u001b[Kcity 31.4');
  });

  it.each([
    ['a pipe', {}, {}],
    ['a terminal that cannot replace a line', { isTTY: true }, { TERM: 'dumb' }],
  ])('shows no progress on %s', (_name, stderr, env) => {
    expect(progressOn(stderr, env)).toBeUndefined();
  });
});
