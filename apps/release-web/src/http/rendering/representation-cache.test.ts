import { Representation } from './representation.ts';
import { RepresentationCache } from './representation-cache.ts';

const body = (bytes: number) => new Representation('text/plain', 'x'.repeat(bytes));

describe('RepresentationCache', () => {
  it('builds once, and again what was not asked for longest when it is full', () => {
    const built: string[] = [];
    const cache = new RepresentationCache(5_000);
    const get = (key: string) =>
      cache.get(key, () => {
        built.push(key);
        return body(1_000);
      });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) get(key);
    expect(built).toEqual(['a', 'b', 'c', 'b']);
  });

  it('never keeps more than its limit, compressed forms included', () => {
    const cache = new RepresentationCache(100_000);
    for (let n = 0; n < 1_000; n++) cache.get(`${n}`, () => body(n)).variant('br');
    expect(cache.size).toBeLessThanOrEqual(100_000);
  });
});
