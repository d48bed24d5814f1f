import { branchIn, edited, NOW, REAL } from '../testing/edited-catalogue.ts';
import { removeSlot } from './remove-slot.ts';

const empty = { version: '8.4.26', active: true, release: { type: 'RC', number: 0 } } as const;
const catalogue = edited((data) => data.branch('8.4').pre_releases.push(empty));

describe('removing a slot', () => {
  it('takes back an empty one', () => {
    const branch = branchIn(catalogue, '8.4');
    expect(removeSlot(catalogue, '8.4.26', 'not needed', NOW)).toStrictEqual({
      ...branch,
      updated: '2026-08-27T09:00:00Z',
      pre_releases: [branch.pre_releases[0]],
      audit: [{ at: '2026-08-27T09:00:00Z', action: 'remove-slot', version: '8.4.26', reason: 'not needed' }],
    });
  });

  it.each([
    ['8.4.25', 'The slot of 8.4.25 has 8.4.25RC1: withdraw that first, with yank 8.4.25RC1.'],
    ['8.4.27', '8.4.27 has no pre-release slot; branch 8.4 has: 8.4.25, 8.4.26.'],
    ['8.1.35', '8.1.35 has no pre-release slot; branch 8.1 has: none.'],
  ])('rejects %s', (version, message) => {
    expect(() => removeSlot(catalogue, version, 'not needed', NOW)).toThrow(message);
    expect(() => removeSlot(REAL, '8.4.26', 'not needed', NOW)).toThrow('branch 8.4 has: 8.4.25.');
  });
});
