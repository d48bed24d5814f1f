import { Doorkeeper } from './doorkeeper.ts';

describe('the doorkeeper', () => {
  it('knows who was here before, however large the number', () => {
    const doorkeeper = new Doorkeeper(1_000);
    for (const number of [0x01020304, 0xffffffff, -1 >>> 1, 7]) {
      expect([doorkeeper.knows(number), doorkeeper.knows(number)]).toEqual([false, true]);
    }
  });

  it('knows nearly as many as it was made for', () => {
    const doorkeeper = new Doorkeeper(10_000);
    for (let i = 0; i < 10_000; i++) doorkeeper.knows(i * 256);
    let known = 0;
    for (let i = 0; i < 10_000; i++) if (doorkeeper.knows(i * 256)) known++;
    expect(known).toBeGreaterThan(8_500);
  });

  it('forgets who was here long ago, and takes few strangers for guests', () => {
    const doorkeeper = new Doorkeeper(1_000);
    doorkeeper.knows(42);
    let mistaken = 0;
    for (let i = 0; i < 1_000_000; i++) if (doorkeeper.knows(Math.imul(i + 1, 0x9e3779b1))) mistaken++;
    expect(mistaken).toBeLessThan(100);
    expect(doorkeeper.knows(42)).toBe(false);
  });
});
