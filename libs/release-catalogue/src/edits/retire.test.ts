import { branchIn, edited, REAL } from '../testing/edited-catalogue.ts';
import { retire } from './retire.ts';

const END = new Date('2026-12-31T00:00:00Z');

describe('retiring a branch', () => {
  it('moves its last release into the history on the day its support ends', () => {
    const branch = branchIn(REAL, '8.2');
    expect(retire(REAL, '8.2', END)).toStrictEqual({
      ...branch,
      updated: '2026-12-31T00:00:00Z',
      current: null,
      history: [expect.objectContaining({ version: '8.2.33', rank: 161 }), ...branch.history],
      audit: [{ at: '2026-12-31T00:00:00Z', action: 'retire', version: '8.2.33' }],
    });
  });

  it.each([
    ['8.2', 'Branch 8.2 is supported until 2026-12-31.'],
    ['8.4', 'Branch 8.4 is supported until a day that is not known.'],
    ['8.1', 'Branch 8.1 is not in the current table.'],
    ['9.9', 'Branch 9.9 is not in the current table.'],
  ])('rejects %s', (name, message) => {
    const dateless = edited((data) => delete data.branch('8.4').overrides);
    expect(() => retire(dateless, name, new Date(END.getTime() - 1))).toThrow(message);
  });
});
