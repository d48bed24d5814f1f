import { LIST, phpInteger, phpQuery } from './php-query.ts';

describe('phpQuery', () => {
  it.each([
    ['/', {}],
    ['/?', {}],
    ['/?a=1&a=2', { a: '2' }],
    ['/?a.b=1&%20c=2', { a_b: '1', c: '2' }],
    ['/?a[]=1&b[x]=2', { a: LIST, b: LIST }],
    ['/?a%00b=1', { a: '1' }],
    ['/??json', { '?json': '' }],
  ])('reads %s as PHP does', (url, parameters) => {
    expect(Object.fromEntries(phpQuery(url))).toEqual(parameters);
  });
});

describe('phpInteger', () => {
  it.each([
    ['8', 8],
    [' 8RC1', 8],
    ['-1.9', -1],
    ['1e3', 1000],
    ['1e400', 0],
    ['x', 0],
  ])('reads %j as %d', (text, number) => {
    expect(phpInteger(text)).toBe(number);
  });
});
