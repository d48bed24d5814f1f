import { fragmentStep, pointerStep } from './index.ts';

// RFC 6901, sections 5 and 6.
describe('a step of a JSON Pointer', () => {
  it.each([
    ['foo', '/foo', '/foo'],
    [0, '/0', '/0'],
    ['', '/', '/'],
    ['a/b', '/a~1b', '/a~1b'],
    ['c%d', '/c%d', '/c%25d'],
    ['e^f', '/e^f', '/e%5Ef'],
    ['k"l', '/k"l', '/k%22l'],
    [' ', '/ ', '/%20'],
    ['m~n', '/m~0n', '/m~0n'],
    ['~1', '/~01', '/~01'],
  ])('escapes %j', (member, plain, inFragment) => {
    expect([pointerStep(member), fragmentStep(member)]).toEqual([plain, inFragment]);
  });
});
