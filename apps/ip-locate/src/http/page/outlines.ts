import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlas from 'world-atlas/countries-110m.json' with { type: 'json' };
import { xOf, yOf } from './projection.ts';

/** A piece of land of one country. */
export interface Land {
  readonly name: string;
  /** SVG path */
  readonly path: string;
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
  /** degrees, of its centre of gravity */
  readonly centre: Position;
}

export type Position = readonly number[];

const toLands = (topology: Topology): Land[] => {
  const { features } = feature(
    topology,
    topology.objects['countries'] as GeometryCollection<{ name: string }>,
  );
  return features.flatMap(({ geometry, properties: { name } }) => {
    const polygons =
      geometry.type === 'Polygon'
        ? [geometry.coordinates]
        : geometry.type === 'MultiPolygon'
          ? geometry.coordinates
          : [];
    return polygons.flatMap((rings) => {
      const land = toLand(name, rings.map(unwrapped));
      // What crosses 180° is on both sides of the map.
      const shift = land.east > 180 ? -360 : land.west < -180 ? 360 : 0;
      if (shift === 0) return [land];
      return [
        land,
        toLand(
          name,
          rings.map((ring) => shifted(unwrapped(ring), shift)),
        ),
      ];
    });
  });
};

const shifted = (ring: readonly Position[], degrees: number): Position[] =>
  ring.map(([longitude = 0, latitude = 0]) => [longitude + degrees, latitude]);

/** A ring without jumps at 180°: it goes on beyond. One around the pole, Antarctica, is closed below it. */
const unwrapped = (ring: readonly Position[]): Position[] => {
  let shift = 0;
  let last = ring[0]?.[0] ?? 0;
  const points = ring.map(([longitude = 0, latitude = 0]): Position => {
    if (longitude - last > 180) shift -= 360;
    if (longitude - last < -180) shift += 360;
    last = longitude;
    return [longitude + shift, latitude];
  });
  return shift === 0 ? points : [...points, [points.at(-1)![0]!, -90], [points[0]![0]!, -90], points[0]!];
};

const toLand = (name: string, rings: readonly (readonly Position[])[]): Land => {
  const points = rings.flat();
  const longitudes = points.map(([longitude]) => longitude ?? 0);
  const latitudes = points.map(([, latitude]) => latitude ?? 0);
  return {
    name,
    path: rings.map(ringPath).join(''),
    west: Math.min(...longitudes),
    east: Math.max(...longitudes),
    south: Math.min(...latitudes),
    north: Math.max(...latitudes),
    centre: centreOf(rings[0] ?? []),
  };
};

/** The centre of gravity of a polygon, by the shoelace formula. */
const centreOf = (ring: readonly Position[]): Position => {
  let [x, y, area] = [0, 0, 0];
  for (let index = 1; index < ring.length; index += 1) {
    const [[x0 = 0, y0 = 0], [x1 = 0, y1 = 0]] = [ring[index - 1]!, ring[index]!];
    const cross = x0 * y1 - x1 * y0;
    area += cross;
    x += (x0 + x1) * cross;
    y += (y0 + y1) * cross;
  }
  return [x / (3 * area), y / (3 * area)];
};

/** Relative steps between whole units, which is half as long as absolute coordinates. */
const ringPath = (ring: readonly Position[]): string => {
  let [lastX, lastY] = [0, 0];
  const steps = ring.map(([longitude = 0, latitude = 0], index) => {
    const [x, y] = [xOf(longitude), yOf(latitude)];
    const step = index === 0 ? `M${x} ${y}` : `l${x - lastX} ${y - lastY}`;
    [lastX, lastY] = [x, y];
    return step;
  });
  return `${steps.filter((step) => step !== 'l0 0').join('')}z`;
};

/** Natural Earth's countries at 1:110 million (public domain). A build has only this value: see esbuild.config.js. */
export const LANDS: readonly Land[] = toLands(atlas as unknown as Topology);
