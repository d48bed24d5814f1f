import { branchIn, edited, NOW, REAL } from '../testing/edited-catalogue.ts';
import { yank } from './yank.ts';

const AT = '2026-08-27T09:00:00Z';
const date = new Date('2026-08-26');
const reason = 'it leaks';
const yanked = { date: '2026-08-26', reason };
const branch = branchIn(REAL, '8.4');

describe('withdrawing a release', () => {
  it('flags the current one', () => {
    expect(yank(REAL, { version: '8.4.24', date, reason }, NOW)).toStrictEqual({
      ...branch,
      updated: AT,
      current: { ...branch.current, yanked },
      audit: [
        { at: AT, action: 'yank', version: '8.4.24', reason, changes: [{ pointer: '/yanked', to: yanked }] },
      ],
    });
  });

  it.each(['8.4', '8.1'])('flags one of the history of %s', (name) => {
    const { current, history } = branchIn(REAL, name);
    const [first, second] = history;
    expect(yank(REAL, { version: second!.version, date, reason }, NOW)).toMatchObject({
      current,
      history: [first, { ...second, yanked }, ...history.slice(2)],
    });
  });

  it.each([
    ['8.4.99', '8.4.99 is not on record.'],
    ['8.6.0', '8.6.0 is not on record.'],
    ['8.4.23', '8.4.23 was withdrawn on 2026-08-01.'],
  ])('rejects %s', (version, message) => {
    const before = edited((data) => (data.release('8.4.23').yanked = { date: '2026-08-01', reason }));
    expect(() => yank(before, { version, date, reason }, NOW)).toThrow(message);
  });
});

describe('withdrawing a build', () => {
  const other = { version: '8.4.26', active: true, release: { type: 'RC', number: 0 } } as const;
  const past = ['8.4.24RC1', '8.4.24RC2'].map((version) => ({ version, sha256: [] }));
  const before = edited((data) => {
    data.branch('8.4').pre_releases.push(other);
    data.branch('8.4').retired_builds.push(...past);
  });

  it('empties its slot and remembers it', () => {
    expect(yank(before, { version: '8.4.25RC1', date, reason }, NOW)).toStrictEqual({
      ...branchIn(before, '8.4'),
      updated: AT,
      pre_releases: [{ version: '8.4.25', active: true, release: { type: 'RC', number: 0 } }, other],
      retired_builds: [...past, expect.objectContaining({ version: '8.4.25RC1', date: '13 August 2026' })],
      audit: [
        {
          at: AT,
          action: 'yank',
          version: '8.4.25RC1',
          reason,
          changes: [{ pointer: '/number', from: 1, to: 0 }],
        },
      ],
    });
  });

  it.each([
    ['8.4.24RC1', '8.4.24RC1 is not on offer any more.'],
    ['8.4.25RC2', '8.4.25RC2 is not on record.'],
  ])('rejects %s', (version, message) => {
    expect(() => yank(before, { version, date, reason }, NOW)).toThrow(message);
  });
});
