import { worldMap } from './world-map.ts';

/** Every line of the map's land, as its longest step in units. */
const longestStep = (svg: string): number => {
  const path = /<path class="land" d="([^"]+)"/.exec(svg)![1]!;
  return Math.max(
    ...[...path.matchAll(/l(-?\d+) (-?\d+)/g)].map(([, x, y]) => Math.hypot(Number(x), Number(y))),
  );
};
const namesOn = (svg: string): string[] => [...svg.matchAll(/<text[^>]*>([^<]+)</g)].map(([, name]) => name!);
const viewOf = (svg: string): number[] => /viewBox="([^"]+)"/.exec(svg)![1]!.split(' ').map(Number);

describe('the map', () => {
  it('has no lines across it where countries reach over 180°', () => {
    // London, Fiji, Chukotka; steps of the outline are a few degrees at most, of ten units each.
    for (const [latitude, longitude] of [
      [51.5, -0.1],
      [-18, 178],
      [66, -175],
    ] as const) {
      expect(longestStep(worldMap(latitude, longitude, ''))).toBeLessThan(400);
    }
  });

  it('shows land on both sides of 180°', () => {
    const [east, west] = [worldMap(66, 179, ''), worldMap(66, -179, '')];
    for (const svg of [east, west])
      expect(/<path class="land" d="([^"]*)"/.exec(svg)![1]!.length).toBeGreaterThan(500);
  });

  it('names each country once, and none over another', () => {
    for (const [latitude, longitude] of [
      [51.5, -0.1],
      [60, 18],
      [0, 114],
      [-18, 178],
    ] as const) {
      const svg = worldMap(latitude, longitude, '');
      const names = namesOn(svg);
      expect(new Set(names).size).toBe(names.length);
      const places = [...svg.matchAll(/<text x="(-?\d+)" y="(-?\d+)">([^<]+)</g)].map(([, x, y, name]) => ({
        x: Number(x),
        y: Number(y),
        half: name!.length * 5,
      }));
      const overlaps = places.filter((one, index) =>
        places
          .slice(index + 1)
          .some(
            (other) => Math.abs(one.y - other.y) < 18 && Math.abs(one.x - other.x) < one.half + other.half,
          ),
      );
      expect(overlaps).toEqual([]);
    }
  });

  it('has the country in view rather than the sea, with the location on it, and names what is large', () => {
    const svg = worldMap(37.4, -122.1, 'Map');
    const [left, top, width, height] = viewOf(svg) as [number, number, number, number];
    const [x, y] = [(180 - 122.1) * 10, (90 - 37.4) * 10];
    expect((x - left) / width).toBeCloseTo(0.2, 1);
    expect((y - top) / height).toBeGreaterThan(0.2);
    expect((y - top) / height).toBeLessThan(0.8);
    expect(namesOn(svg)).toEqual(expect.arrayContaining(['United States of America', 'Canada', 'Mexico']));
  });

  it.each([
    ['Tokyo', 35.69, 139.75, 'Japan'],
    ['Taipei', 25.03, 121.57, 'Taiwan'],
    ['Honolulu', 21.3, -157.86, 'United States of America'],
    ['Suva, at 180°', -18.1, 178.4, 'Fiji'],
    ['Luxembourg', 49.6, 6.1, 'Luxembourg'],
    ['Brussels', 50.8, 4.35, 'Belgium'],
    ['Colombo', 6.9, 79.9, 'Sri Lanka'],
    ['Nicosia', 35.17, 33.2, 'Cyprus'],
  ])('names the country of %s, in view and away from the mark', (_city, latitude, longitude, country) => {
    const svg = worldMap(latitude, longitude, '');
    const [left, top, width, height] = viewOf(svg) as [number, number, number, number];
    const [, x, y] = new RegExp(`<text x="(-?\\d+)" y="(-?\\d+)">${country}<`).exec(svg)!.map(Number) as [
      number,
      number,
      number,
    ];
    const half = country.length * 5;
    expect(x - half).toBeGreaterThanOrEqual(left);
    expect(x + half).toBeLessThanOrEqual(left + width);
    expect(y).toBeGreaterThan(top);
    expect(y).toBeLessThan(top + height);
    const [markX, markY] = [(180 + longitude) * 10, (90 - latitude) * 10];
    expect(Math.abs(x - markX) > half + 20 || Math.abs(y - markY) > 26).toBe(true);
  });

  it('draws the accuracy radius to scale, wider where the meridians are closer', () => {
    const halo = (latitude: number, kilometres?: number) =>
      /<ellipse class="halo" [^>]* rx="(\d+)" ry="(\d+)"/
        .exec(worldMap(latitude, 10, '', kilometres))!
        .slice(1)
        .map(Number);
    expect(halo(0, 1_000)).toEqual([90, 90]);
    expect(halo(60, 1_000)).toEqual([180, 90]);
    // Smaller than the dot in its middle, it would not be seen.
    expect(halo(0, 5)).toEqual([12, 12]);
    expect(halo(0)).toEqual([24, 24]);
    expect(halo(90, 1_000)[0]).toBeLessThanOrEqual(3_600);
  });

  it.each([
    [90, 180],
    [-90, -180],
    [0, 0],
    [-75, 0],
    [71, 180],
  ])('stays within the world, but for the mark, which is whole: %d, %d', (latitude, longitude) => {
    const [left, top, width, height] = viewOf(worldMap(latitude, longitude, '')) as [
      number,
      number,
      number,
      number,
    ];
    const [x, y] = [(longitude + 180) * 10, (90 - latitude) * 10];
    const mark = 24;
    expect(left).toBeGreaterThanOrEqual(Math.min(0, x - mark));
    expect(left + width).toBeLessThanOrEqual(Math.max(3_600, x + mark));
    expect(top).toBeGreaterThanOrEqual(Math.min(0, y - mark));
    expect(top + height).toBeLessThanOrEqual(Math.max(1_800, y + mark));
    expect([x - left, left + width - x, y - top, top + height - y].every((room) => room >= mark)).toBe(true);
  });
});
