import { escapeMarkup } from '@workspace/service-kit';
import { COUNTRY_CODES } from '../../domain/countries.ts';
import { countryName } from '../../domain/entry-location.ts';
import type { Language } from '../../domain/language.ts';
import { type Land, LANDS, type Position } from './outlines.ts';
import { SCALE, xOf, yOf } from './projection.ts';

/** Degrees that are visible around a location. */
const WIDTH = 80;
const HEIGHT = 50;
/** How far a location may be from the middle, as a share of what is visible: its country is shown rather than the sea. */
const OFF_CENTRE = 0.3;
/** Units, of the names of countries. */
const LETTER = 11;
const LINE = 26;
const MARGIN = 15;
/** Units of the mark of the location, from its centre, and of the least that is seen around its dot. */
const MARK = 24;
const LEAST_HALO = 12;
const KILOMETRES_PER_DEGREE = 111.2;

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

const extentOf = ({ west, east, south, north }: Land): number => (east - west) * (north - south);

/** The land that a location is on, by the smallest box around it. */
const landOf = (latitude: number, longitude: number): Land | undefined =>
  LANDS.filter(
    ({ west, east, south, north }) =>
      longitude >= west && longitude <= east && latitude >= south && latitude <= north,
  ).reduce<Land | undefined>(
    (least, one) => (least && extentOf(least) < extentOf(one) ? least : one),
    undefined,
  );

/** Names of Natural Earth that are not those of Unicode CLDR. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  'Bosnia and Herz.': 'BA',
  'Central African Rep.': 'CF',
  Congo: 'CG',
  "Côte d'Ivoire": 'CI',
  'Dem. Rep. Congo': 'CD',
  'Dominican Rep.': 'DO',
  'Eq. Guinea': 'GQ',
  Macedonia: 'MK',
  Myanmar: 'MM',
  'S. Sudan': 'SS',
  Turkey: 'TR',
  'United States of America': 'US',
  'W. Sahara': 'EH',
};
const CODES = new Map(COUNTRY_CODES.map((code) => [countryName(code, 'en'), code]));

/** What a country on the map is called in a language; undefined when the language has no name for it. */
const nameIn = (language: Language, name: string): string | undefined => {
  if (language === 'en') return name;
  const code = SHORT_NAMES[name] ?? CODES.get(name);
  return code === undefined ? undefined : (countryName(code, language) ?? undefined);
};

/**
 * The part of the world around a location as an inline SVG image, with the location marked, and its country and larger ones named.
 * @param latitude degrees
 * @param longitude degrees
 * @param label what the map shows, for those who cannot see it
 * @param accuracy radius around the location that the address is probably within, in kilometres
 */
export const worldMap = (
  latitude: number,
  longitude: number,
  label: string,
  accuracy?: number,
  language: Language = 'en',
): string => {
  const land = landOf(latitude, longitude);
  const [centreX = longitude, centreY = latitude] = land?.centre ?? [];
  const middleX = within(centreX, longitude - WIDTH * OFF_CENTRE, longitude + WIDTH * OFF_CENTRE);
  const middleY = within(centreY, latitude - HEIGHT * OFF_CENTRE, latitude + HEIGHT * OFF_CENTRE);
  // The view ends at the edge of the world, or where the mark of a location at that edge ends.
  const mark = MARK / SCALE;
  const west = within(
    middleX - WIDTH / 2,
    Math.min(-180, longitude - mark),
    Math.max(180, longitude + mark) - WIDTH,
  );
  const north = within(
    middleY + HEIGHT / 2,
    Math.min(-90, latitude - mark) + HEIGHT,
    Math.max(90, latitude + mark),
  );
  const view = { west, east: west + WIDTH, south: north - HEIGHT, north };
  const visible = LANDS.filter(
    (land) =>
      land.west < view.east && land.east > view.west && land.south < view.north && land.north > view.south,
  );
  const [x, y] = [xOf(longitude), yOf(latitude)];
  const named = visible.flatMap((one) => {
    const name = nameIn(language, one.name);
    return name === undefined ? [] : [{ ...one, name }];
  });
  const names = labelsOn(named, view, [x, y], land && nameIn(language, land.name))
    .map((name) => `<text x="${name.x}" y="${name.y}">${escapeMarkup(name.name)}</text>`)
    .join('');
  return `<svg class="map" role="img" aria-label="${escapeMarkup(label)}" viewBox="${xOf(west)} ${yOf(north)} ${WIDTH * SCALE} ${HEIGHT * SCALE}">
<path class="land" d="${visible.map(({ path }) => path).join('')}"/>${names}
<ellipse class="halo" cx="${x}" cy="${y}" ${haloOf(latitude, accuracy)}/><circle class="dot" cx="${x}" cy="${y}" r="8"/>
</svg>`;
};

/** The radii of what is around the dot: a degree of longitude is the shorter the closer to a pole it is. */
const haloOf = (latitude: number, accuracy: number | undefined): string => {
  const ry = accuracy === undefined ? MARK : (accuracy / KILOMETRES_PER_DEGREE) * SCALE;
  const rx = accuracy === undefined ? MARK : ry / Math.cos((latitude * Math.PI) / 180);
  const [widest, highest] = [360 * SCALE, 180 * SCALE];
  return `rx="${Math.round(within(rx, LEAST_HALO, widest))}" ry="${Math.round(within(ry, LEAST_HALO, highest))}"`;
};

/** The width of a name: Chinese and Japanese characters are two letters wide. */
const lettersOf = (name: string): number => name.length + name.replace(/[^\u3040-\u9fff]/g, '').length;

/** A name that stands on the map: the middle of its text and half of its width, in units. */
interface Label {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly half: number;
}

/**
 * The names of countries that have room on their land, away from the mark and from each other; the largest come first. That of the
 * located country stands beside the mark when it has no room.
 */
const labelsOn = (
  visible: readonly Land[],
  view: Pick<Land, 'west' | 'east' | 'south' | 'north'>,
  [markX = 0, markY = 0]: Position,
  located: string | undefined,
): Label[] => {
  const isInView = ({ x, y, half }: Omit<Label, 'name'>): boolean =>
    x - half > xOf(view.west) + MARGIN &&
    x + half < xOf(view.east) - MARGIN &&
    y > yOf(view.north) + MARGIN * 2 &&
    y < yOf(view.south) - MARGIN;
  const overlap = (one: Label, other: Label): boolean =>
    Math.abs(one.x - other.x) <= one.half + other.half + 6 && Math.abs(one.y - other.y) <= LINE;
  const mark = { name: '', x: markX, y: markY, half: MARK };
  const labels: Label[] = [];
  for (const land of [...visible].sort((a, b) => extentOf(b) - extentOf(a))) {
    const [longitude = 0, latitude = 0] = land.centre;
    const { name } = land;
    const [x, y, half] = [xOf(longitude), yOf(latitude), (lettersOf(name) * LETTER) / 2];
    const fits = (land.east - land.west) * SCALE > half * 2 && (land.north - land.south) * SCALE > LETTER * 4;
    const label = { name, x, y, half };
    const isClear = [...labels, mark].every((other) => other.name !== name && !overlap(label, other));
    if (fits && isInView(label) && isClear) labels.push(label);
  }
  if (located === undefined || labels.some(({ name }) => name === located)) return labels;
  const half = (lettersOf(located) * LETTER) / 2;
  const away = Math.ceil(MARK + half + 8);
  const beside = [
    { x: markX + away, y: markY + 6 },
    { x: markX - away, y: markY + 6 },
    { x: markX, y: markY - MARK - 8 },
    { x: markX, y: markY + MARK + 24 },
  ]
    .map((place) => ({ ...place, name: located, half }))
    .find(isInView);
  return beside ? [...labels.filter((label) => !overlap(label, beside)), beside] : labels;
};
