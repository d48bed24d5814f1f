import { withoutDistrict } from './city-name.ts';

describe('a city without its district', () => {
  it.each([
    ['San Jose (Tasman and Zanker)', 'San Jose'],
    ['Frankfurt am Main (Innenstadt I)', 'Frankfurt am Main'],
    ['Munich', 'Munich'],
    ['Munich  (Altstadt)', 'Munich'],
    ['(nowhere)', '(nowhere)'],
    ['Halle (Saale) Nord', 'Halle (Saale) Nord'],
    ['Bad(Name)', 'Bad(Name)'],
    ['Odd (one) (two)', 'Odd (one)'],
    ['Open (end', 'Open (end'],
    ['', ''],
  ])('%j is %j', (name, bare) => expect(withoutDistrict(name)).toBe(bare));
});
