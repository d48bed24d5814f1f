import { day, dayText, distance } from './dates.ts';

const now = new Date('2026-11-21T12:00:00Z');

describe('dates on pages', () => {
  it('are written in one style, readable for programs too', () => {
    expect(dayText(new Date('2026-07-02T00:00:00Z'))).toBe('2 Jul 2026');
    expect(day(new Date('2026-12-31T00:00:00Z'))).toBe('<time datetime="2026-12-31">31 Dec 2026</time>');
  });

  it.each([
    ['2026-11-21', 'today'],
    ['2026-11-22', 'tomorrow'],
    ['2026-12-31', 'in 40 days'],
    ['2026-11-11', '10 days ago'],
    ['2027-12-31', 'in 13 months'],
    ['2025-12-31', '10 months ago'],
    ['2028-12-31', 'in 2 years'],
    ['2029-12-31', 'in 3 years'],
    ['2022-11-28', '3 years ago'],
  ])('%s is %s', (date, text) => {
    expect(distance(new Date(`${date}T00:00:00Z`), now)).toBe(text);
  });
});
