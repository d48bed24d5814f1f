import { csv } from './csv.ts';
import { xml } from './xml.ts';
import { yaml } from './yaml.ts';

describe('csv', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+cmd', "'+cmd"],
    ['-cmd', "'-cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['=a,"b"', '"\'=a,""b"""'],
    ['-0800', '-0800'],
    ['-33.8,151.2', '"-33.8,151.2"'],
    ['plain', 'plain'],
  ])('writes %j as %s', (city, cell) => {
    expect(csv({ city })).toBe(`city\r\n${cell}\r\n`);
  });

  it('leaves negative coordinates alone', () => {
    expect(csv({ latitude: -33.8, longitude: 0, in_eu: false, postal: null })).toBe(
      'latitude,longitude,in_eu,postal\r\n-33.8,0,false,\r\n',
    );
  });
});

it('xml replaces what it cannot represent', () => {
  expect(xml({ city: 'a\u0000\u{1f600}b\ud800' })).toContain('<city>a\ufffd\u{1f600}b\ufffd</city>');
});

it('yaml keeps Norway, numbers in quotes and nulls', () => {
  expect(yaml({ country: 'NO', postal: '0123', latitude: 0, city: null, org: 'a\u0085"b' })).toBe(
    'country: "NO"\npostal: "0123"\nlatitude: 0\ncity: null\norg: "a\\u0085\\"b"\n',
  );
});
