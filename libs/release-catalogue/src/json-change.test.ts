import { jsonChanges } from './json-change.ts';

describe('jsonChanges', () => {
  it.each([
    ['nothing', { a: 1 }, { a: 1 }, []],
    ['a value', { a: { b: 1 } }, { a: { b: 2 } }, [{ pointer: '/a/b', from: 1, to: 2 }]],
    ['a new member', {}, { a: [1] }, [{ pointer: '/a', to: [1] }]],
    ['a lost member', { 'a/b~c': null }, {}, [{ pointer: '/a~1b~0c', from: null }]],
    ['a list that grew', [1], [1, 2], [{ pointer: '/1', to: 2 }]],
    ['another kind of value', { a: [] }, { a: {} }, [{ pointer: '/a', from: [], to: {} }]],
    ['an undefined member, which counts as absent', { a: undefined }, {}, []],
  ])('finds %s', (_, from, to, changes) => {
    expect(jsonChanges(from, to)).toEqual(changes);
  });
});
