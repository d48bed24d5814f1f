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
    '32 Jan 2026',
    '030 Jul 2026',
    'x30 Jul 2026',
    '30 Jul 2026x',
    '30 JUl 2026',
    '30 Ju 2026',
    '30 J 2026',
    '30 Jul 20260',
    '30 Jul 0099',
    '1 Jan x026',
    '',
  ])('rejects %s', (text) => {
    expect(parseDateText(text)).toBeNull();
  });

  it.each([
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-1-1',
    '2024-11-31',
    '2024-11-30T00:00:00Z',
    'x2024-11-30',
    '12024-11-30',
    '0099-11-30',
    '2024-xx-30',
  ])('rejects %s', (text) => {
    expect(parseIsoDate(text)).toBeNull();
  });

  it.each([
    ['January', '01'],
    ['February', '02'],
    ['March', '03'],
    ['April', '04'],
    ['May', '05'],
    ['June', '06'],
    ['July', '07'],
    ['August', '08'],
    ['September', '09'],
    ['October', '10'],
    ['November', '11'],
    ['December', '12'],
  ])('reads and writes %s', (name, month) => {
    const day = `2026-${month}-09`;
    const date = parseIsoDate(day)!;
    expect([longDateText(date), dateText(date)]).toEqual([`09 ${name} 2026`, `09 ${name.slice(0, 3)} 2026`]);
    expect([name, name.slice(0, 3)].map((word) => isoDate(parseDateText(`9 ${word} 2026`)!))).toEqual([
      day,
      day,
    ]);
  });

  it('writes dates as php.net does', () => {
    expect(dateText(parseIsoDate('2026-07-05')!)).toBe('05 Jul 2026');
    expect(longDateText(parseIsoDate('2026-08-13')!)).toBe('13 August 2026');
  });
});
