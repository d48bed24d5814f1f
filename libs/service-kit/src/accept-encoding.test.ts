import { chooseEncoding } from './accept-encoding.ts';

describe('chooseEncoding', () => {
  it.each([
    ['', 'identity'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0', 'identity'],
    ['*', 'br'],
    ['*;q=0', 'identity'],
    ['identity, gzip;q=0.5', 'identity'],
    ['identity;q=0, *;q=0', 'identity'],
    ['zstd', 'identity'],
    ['gzip;q=nonsense', 'identity'],
    ['gzip;q=0.5', 'gzip'],
    ['gzip ; q=0.3', 'gzip'],
    ['br ;\tq=0, gzip', 'gzip'],
    ['br;Q=0, gzip; Q=0.5', 'gzip'],
    ['X-GZIP;Q=1, br;q=0.5', 'gzip'],
    ['br;q=0.1, *;q=0.5', 'gzip'],
    ['identity;q=0.5, *;q=0.1', 'identity'],
    ['br;q=1.0, identity;q=0', 'br'],
  ])('%s → %s', (header, encoding) => {
    expect(chooseEncoding(header)).toBe(encoding);
  });
});
