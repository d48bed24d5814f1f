import { helpText } from './help-text.ts';

const words = (count: number): string => 'word '.repeat(count).trimEnd();

it('leaves an example to be pasted', () => {
  const options = '--manifest sums.txt --tarballs build';
  expect(helpText(`Example: tool promote 8.4.26 --kind bugfix --reason 'two words' ${options}`)).toBe(
    `Example: tool promote 8.4.26 --kind bugfix --reason 'two words' \\\n  ${options}`,
  );
});

it('goes on below the last column of a line that is too long', () => {
  expect(
    helpText(
      [
        'Usage: tool [options]',
        words(20),
        `  --option NAME   ${words(20)}`,
        `                  first   ${words(15)}`,
        `  ${'x'.repeat(50)}  ${words(8)}`,
      ].join('\n'),
    ).split('\n'),
  ).toEqual([
    'Usage: tool [options]',
    words(16),
    words(4),
    `  --option NAME   ${words(12)}`,
    `                  ${words(8)}`,
    `                  first   ${words(11)}`,
    `                          ${words(4)}`,
    `  ${'x'.repeat(50)}  ${words(5)}`,
    `  ${words(3)}`,
  ]);
});
