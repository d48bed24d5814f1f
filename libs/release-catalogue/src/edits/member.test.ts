import { withMembers } from './member.ts';

const value = { tags: ['a', 'b'], files: [{ name: 'x' }] };

describe('members of lists', () => {
  it.each([
    ['replaces', { pointer: '/tags/1', value: 'c' }, { ...value, tags: ['a', 'c'] }],
    ['appends at the end', { pointer: '/tags/2', value: 'c' }, { ...value, tags: ['a', 'b', 'c'] }],
    ['appends after the last', { pointer: '/tags/-', value: 'c' }, { ...value, tags: ['a', 'b', 'c'] }],
    ['takes out', { pointer: '/tags/0' }, { ...value, tags: ['b'] }],
    ['changes inside', { pointer: '/files/0/name', value: 'y' }, { ...value, files: [{ name: 'y' }] }],
  ])('%s', (_does, edit, expected) => {
    expect(withMembers(value, [edit])).toEqual(expected);
  });

  it.each([
    { pointer: '/tags/3', value: 'c' },
    { pointer: '/tags/first', value: 'c' },
    { pointer: '/tags/01', value: 'c' },
    { pointer: '/tags/length', value: 0 },
    { pointer: '/tags/-' },
    { pointer: '/tags/2' },
    { pointer: '/tags/length' },
  ])('has nothing at $pointer', (edit) => {
    expect(() => withMembers(value, [edit])).toThrow(`There is nothing at ${edit.pointer}.`);
  });
});

describe('members of objects', () => {
  const object = { 'a/b': 1, 'c~d': 2, kept: { x: null } };

  it.each([
    ['sets', { pointer: '/new', value: 3 }, { ...object, new: 3 }],
    ['sets to nothing', { pointer: '/c~0d', value: null }, { ...object, 'c~d': null }],
    ['takes out', { pointer: '/a~1b' }, { 'c~d': 2, kept: { x: null } }],
    ['takes out inside', { pointer: '/kept/x' }, { ...object, kept: {} }],
  ])('%s', (_does, edit, expected) => {
    expect(withMembers(object, [edit])).toEqual(expected);
    expect(object).toEqual({ 'a/b': 1, 'c~d': 2, kept: { x: null } });
  });

  it.each([
    { pointer: '/none' },
    { pointer: '/none/x', value: 1 },
    { pointer: '/kept/x/y', value: 1 },
    { pointer: '/kept/x/y/z', value: 1 },
    { pointer: '/a~1b/x', value: 1 },
    { pointer: '/toString' },
    { pointer: '/toString/x', value: 1 },
  ])('has nothing at $pointer', (edit) => {
    expect(() => withMembers(object, [edit])).toThrow(`There is nothing at ${edit.pointer}.`);
  });
});
