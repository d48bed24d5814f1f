import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlas from 'world-atlas/countries-110m.json' with { type: 'json' };
import { escapeMarkup } from '@workspace/service-kit';

/** Units of the drawing per degree; longitude and latitude are its axes (equirectangular projection). */
const SCALE = 10;
/** Degrees that are visible around a location. */
const WIDTH = 110;
const HEIGHT = 55;

interface Country {
  /** SVG path */
  readonly path: string;
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
}

type Position = readonly number[];

const toCountries = (topology: Topology): Country[] => {
  const { features } = feature(topology, topology.objects['countries'] as GeometryCollection);
  return features.flatMap(({ geometry }) => {
    if (geometry.type === 'Polygon') return [toCountry(geometry.coordinates)];
    return geometry.type === 'MultiPolygon' ? geometry.coordinates.map(toCountry) : [];
  });
};

const toCountry = (rings: readonly (readonly Position[])[]): Country => {
  const points = rings.flat();
  const longitudes = points.map(([longitude]) => longitude ?? 0);
  const latitudes = points.map(([, latitude]) => latitude ?? 0);
  return {
    path: rings.map(ringPath).join(''),
    west: Math.min(...longitudes),
    east: Math.max(...longitudes),
    south: Math.min(...latitudes),
    north: Math.max(...latitudes),
  };
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

const xOf = (longitude: number): number => Math.round((longitude + 180) * SCALE);
const yOf = (latitude: number): number => Math.round((90 - latitude) * SCALE);

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

let countries: readonly Country[] | undefined;
/** Natural Earth's countries at 1:110 million (public domain). Drawn for the first page, not for the start. */
const allCountries = () => (countries ??= toCountries(atlas as unknown as Topology));

/**
 * The part of the world around a location as an inline SVG image, with the location marked.
 * @param latitude degrees
 * @param longitude degrees
 * @param label what the map shows, for those who cannot see it
 */
export const worldMap = (latitude: number, longitude: number, label: string): string => {
  const west = within(longitude - WIDTH / 2, -180, 180 - WIDTH);
  const north = within(latitude + HEIGHT / 2, -90 + HEIGHT, 90);
  const [east, south] = [west + WIDTH, north - HEIGHT];
  const visible = allCountries().filter(
    (country) => country.west < east && country.east > west && country.south < north && country.north > south,
  );
  const [x, y] = [xOf(longitude), yOf(latitude)];
  return `<svg class="map" role="img" aria-label="${escapeMarkup(label)}" viewBox="${xOf(west)} ${yOf(north)} ${WIDTH * SCALE} ${HEIGHT * SCALE}">
<path class="land" d="${visible.map(({ path }) => path).join('')}"/>
<circle class="halo" cx="${x}" cy="${y}" r="34"/><circle class="dot" cx="${x}" cy="${y}" r="11"/>
</svg>`;
};
