/** What hands really do to such files: edits of the fixture's branches/8.5.json, and a word of the fault that must be shown. */
export const BAD_EDITS: [what: string, spoil: (text: string) => string, hint: string][] = [
  ['a missing comma', (text) => text.replace('"branch": "8.5",', '"branch": "8.5"'), 'branches/8.5.json'],
  ['both sides of a conflict', (text) => text.replace(/ *"updated": .*\n/, '$&$&'), '/updated'],
  ['a typo in a month', (text) => text.replace('"30 Jul 2026"', '"30 Jull 2026"'), '30 Jull 2026'],
  [
    'a version that stops at the dot',
    (text) => text.replace('"version": "8.5.9"', '"version": "8.5."'),
    '8.5.',
  ],
  ['a version of another branch', (text) => text.replace('"version": "8.5.9"', '"version": "85.9"'), '85.9'],
  ['a missing date', (text) => text.replace(/\n *"date": "2026-07-30",/, ''), 'date'],
  ['missing tags', (text) => text.replace(/"tags": \[\s*"security"\s*\],/, ''), 'tags'],
  ['a truncated digest', (text) => text.replace(/"sha256": "(.{63})./, '"sha256": "$1'), 'sha256'],
  ['a number as a text', (text) => text.replace('"number": 1', '"number": "1"'), 'number'],
  [
    'another digest of what is published',
    (text) => text.replace('d735459c2cba', 'd735459c2cbb'),
    '[published-immutable]',
  ],
  ['a day that does not exist', (text) => text.replaceAll('2026-07-30', '2026-02-30'), '2026-02-30'],
];
