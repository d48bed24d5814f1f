import { closestLanguage } from './language.ts';
import { isTimeZone, utcOffset } from './utc-offset.ts';

it.each([
  [undefined, 'en'],
  ['de', 'de'],
  ['DE-at', 'de'],
  ['pt', 'pt-BR'],
  ['PT-br', 'pt-BR'],
  ['zh-TW', 'zh-CN'],
  ['deu', 'en'],
  ['', 'en'],
])('answers %s in %s', (asked, language) => {
  expect(closestLanguage(asked)).toBe(language);
});

it.each([
  ['Asia/Kolkata', '+0530', true],
  ['America/St_Johns', '-0330', true],
  ['Etc/UTC', '+0000', true],
  ['Mars/Olympus', null, false],
])('%s is %s from UTC', (zone, offset, isKnown) => {
  for (let asked = 0; asked < 2; asked += 1)
    expect(utcOffset(zone, new Date('2026-01-15T00:00:00Z'))).toBe(offset);
  expect(isTimeZone(zone)).toBe(isKnown);
});

it('has no offset without a zone', () => {
  expect(utcOffset(null, new Date())).toBeNull();
});
