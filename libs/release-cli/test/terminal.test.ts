import { progressOf } from '../src/terminal.ts';

describe('progress', () => {
  const progressOn = (stderr: object, env: NodeJS.ProcessEnv = {}): string | undefined => {
    let written = '';
    const progress = progressOf({ ...stderr, write: (text) => (written += text) }, env);
    progress?.('php-8.4.26.tar.xz 52 %');
    return progress && written;
  };

  it('replaces one line on a terminal', () => {
    expect(progressOn({ isTTY: true, columns: 80 })).toBe('\r\u001b[Kphp-8.4.26.tar.xz 52 %');
  });

  it('cuts what would wrap, because that could not be replaced', () => {
    expect(progressOn({ isTTY: true, columns: 11 })).toBe('\r\u001b[Kphp-8.4.26');
  });

  it.each([
    ['a pipe', {}, {}],
    ['a terminal that cannot replace a line', { isTTY: true }, { TERM: 'dumb' }],
  ])('is not shown on %s', (_name, stderr, env) => {
    expect(progressOn(stderr, env)).toBeUndefined();
  });
});
