import { Doorkeeper } from './doorkeeper.ts';

describe('the doorkeeper', () => {
  it('knows who was here before, however large the number', () => {
    const doorkeeper = new Doorkeeper();
    for (const number of [0x01020304, 0xffffffff, -1 >>> 1, 7]) {
      expect([doorkeeper.knows(number), doorkeeper.knows(number)]).toEqual([false, true]);
    }
  });

  it('forgets who was here long ago, and takes few strangers for guests', () => {
    const doorkeeper = new Doorkeeper();
    doorkeeper.knows(42);
    let mistaken = 0;
    for (let i = 0; i < 1_000_000; i++) if (doorkeeper.knows(Math.imul(i + 1, 0x9e3779b1))) mistaken++;
    expect(mistaken).toBeLessThan(100);
    expect(doorkeeper.knows(42)).toBe(false);
  });
});
