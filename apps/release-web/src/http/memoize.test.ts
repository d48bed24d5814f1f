import { memoize } from './memoize.ts';

describe('memoize', () => {
  it('computes once, and again what was not asked for longest', () => {
    const computed: string[] = [];
    const double = memoize(2, (key) => {
      computed.push(key);
      return key + key;
    });
    expect([double('a'), double('b'), double('a'), double('c'), double('a'), double('b')]).toEqual([
      'aa',
      'bb',
      'aa',
      'cc',
      'aa',
      'bb',
    ]);
    expect(computed).toEqual(['a', 'b', 'c', 'b']);
  });
});
