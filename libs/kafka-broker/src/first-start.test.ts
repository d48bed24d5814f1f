import { sayFirstStart } from './first-start.ts';
import { statusLine } from './status-line.ts';

/** What a reader gets of a fetch while another part of the program writes a line. */
const written = (output: { isTTY?: boolean; columns?: number }, env: NodeJS.ProcessEnv = {}): string => {
  let text = '';
  const { line, status } = statusLine({ ...output, write: (more) => (text += more) }, env);
  const say = sayFirstStart(line, status);
  say({ step: 'fetching', bytes: 0 });
  say({ step: 'fetching', bytes: 0 });
  say({ step: 'fetching', bytes: 41_500_000 });
  line('another line');
  say({ step: 'fetched', bytes: 71_600_000, seconds: 43.2 });
  say({ step: 'archiving' });
  return text;
};

const begin = 'fetching Kafka from Maven Central (up to 75 MB) ...\n';
const end =
  'fetched Kafka: 72 MB in 43 s\nwriting an archive of its classes, once, in some ten seconds ...\n';

describe('the first start of Kafka', () => {
  it.each([
    ['a pipe', {}, {}],
    ['a terminal that cannot replace lines', { isTTY: true }, { TERM: 'dumb' }],
  ])('is told in whole lines to %s', (_name, output, env) => {
    expect(written(output, env)).toBe(`${begin}another line\n${end}`);
  });

  it('is told to a terminal in a line that is replaced and stays last, without colours', () => {
    const erase = '\r\u001b[K';
    const [first, second] = ['fetching Kafka: 0 of up to 75 MB', 'fetching Kafka: 42 of up to 75 MB'];
    expect(written({ isTTY: true })).toBe(
      `${begin}${first}${erase}${second}${erase}another line\n${second}${erase}${end}`,
    );
  });

  it('does not wrap in a narrow terminal', () => {
    expect(written({ isTTY: true, columns: 20 })).toContain(`${'fetching Kafka: 42 of up'.slice(0, 19)}\r`);
  });
});
