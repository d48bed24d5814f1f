import { parseArgs } from 'node:util';
import { nearest, parseFailure } from './did-you-mean.ts';

const NAMES = ['yank', 'retire', 'add-pre-release', 'add-key', 'fields', 'lang'];

it.each([
  ['yanc', 'yank'],
  ['ynak', 'yank'],
  ['YANK', 'yank'],
  ['retier', 'retire'],
  ['add-prerelease', 'add-pre-release'],
  ['feilds', 'fields'],
  ['field', 'fields'],
])('takes %s for %s', (given, meant) => expect(nearest(given, NAMES)).toBe(meant));

it.each(['', 'x', 'la', 'publish', 'constructor', 'l'.repeat(50)])('takes %j for nothing else', (given) =>
  expect(nearest(given, NAMES)).toBeUndefined(),
);

it('names the option that was meant', () => {
  const failureOf = (...args: string[]): string => {
    try {
      parseArgs({ args, options: { fields: { type: 'string' }, help: { type: 'boolean' } } });
    } catch (error) {
      return parseFailure(error as Error, ['fields', 'help']);
    }
    return 'none';
  };
  expect([
    failureOf('--feilds', 'x'),
    failureOf('--colour'),
    failureOf('--fields'),
    failureOf('--help=x'),
    failureOf('-x'),
  ]).toEqual([
    `Unknown option '--feilds'. Did you mean "--fields"?`,
    `Unknown option '--colour'.`,
    `Option '--fields <value>' argument missing.`,
    `Option '--help' does not take an argument.`,
    `Unknown option '-x'.`,
  ]);
});
