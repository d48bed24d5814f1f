import { dateText, isoDate, longDateText, parseDateText, parseIsoDate } from './calendar-date.ts';

describe('calendar dates', () => {
  it.each([
    ['30 Jul 2026', '2026-07-30'],
    ['5 December 2024', '2024-12-05'],
    ['05 Dec 2024', '2024-12-05'],
    ['29 Feb 2024', '2024-02-29'],
  ])('reads %s', (text, day) => {
    expect(isoDate(parseDateText(text)!)).toBe(day);
  });

  // Each of these was published once, and PHP's strtotime made a wrong day of it.
  it.each([
    '30 Jull 2026',
    '30 Marc 2026',
    '31 Nov 2024',
    '2024-11-31x',
    '30 jul 2026',
    '0 May 2026',
    '30 Jul 26',
    '',
  ])('rejects %s', (text) => {
    expect(parseDateText(text)).toBeNull();
  });

  it.each(['2026-02-29', '2026-13-01', '2026-1-1', '2024-11-31', '2024-11-30T00:00:00Z'])(
    'rejects %s',
    (text) => {
      expect(parseIsoDate(text)).toBeNull();
    },
  );

  it('writes dates as php.net does', () => {
    expect(dateText(parseIsoDate('2026-07-05')!)).toBe('05 Jul 2026');
    expect(longDateText(parseIsoDate('2026-08-13')!)).toBe('13 August 2026');
  });
});
