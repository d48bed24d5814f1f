import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { DateTime } from '@workspace/schemas';

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const CalendarDate = Type.String({ format: 'date', examples: ['2026-12-31'] });
const Text = (example: string) => Type.String({ examples: [example] });
const Uri = (example: string) => Type.String({ format: 'uri', examples: [example] });
const RELEASE_PAGE = 'https://www.php.net/releases/8_4_24.php';
const Instant = Type.String({ ...DateTime, examples: ['2026-08-13T00:00:00Z'] });

/** A release cycle as endoflife.date's API v1 describes it. */
export const EndoflifeRelease = Type.Object(
  {
    name: Type.String({ examples: ['8.4'] }),
    codename: Type.Null(),
    label: Text('8.4'),
    releaseDate: CalendarDate,
    isLts: Type.Boolean(),
    ltsFrom: Type.Null(),
    isEoas: Type.Boolean({ description: 'active support has ended' }),
    eoasFrom: Nullable(CalendarDate),
    isEol: Type.Boolean(),
    eolFrom: Nullable(CalendarDate),
    isMaintained: Type.Boolean(),
    latest: Type.Object({ name: Text('8.4.24'), date: CalendarDate, link: Uri(RELEASE_PAGE) }),
    custom: Type.Null(),
  },
  { $id: 'EndoflifeRelease' },
);
export type EndoflifeRelease = Static<typeof EndoflifeRelease>;

const frame = {
  schema_version: Type.Literal('1.2.1', { description: 'of endoflife.date' }),
  generated_at: Instant,
};

/** An answer with one thing. */
export const EndoflifeOne = <T extends TSchema>(result: T) =>
  Type.Object({ ...frame, last_modified: Instant, result });

/** An answer with a list. */
export const EndoflifeMany = <T extends TSchema>(item: T) =>
  Type.Object({ ...frame, total: Type.Integer({ minimum: 0, examples: [1] }), result: Type.Array(item) });

/** The name of something, and where it is. */
export const EndoflifeUri = Type.Object(
  { name: Text('php'), uri: Uri('https://releases.example/api/v1/products/php') },
  { $id: 'EndoflifeUri' },
);
export type EndoflifeUri = Static<typeof EndoflifeUri>;

const identity = {
  name: Text('php'),
  aliases: Type.Array(Type.String(), { examples: [[]] }),
  label: Text('PHP'),
  category: Text('lang'),
  tags: Type.Array(Text('lang'), { minItems: 1 }),
};

/** A product in a list. */
export const EndoflifeSummary = Type.Object(
  { ...identity, uri: Uri('https://releases.example/api/v1/products/php') },
  { $id: 'EndoflifeSummary' },
);
export type EndoflifeSummary = Static<typeof EndoflifeSummary>;

/** All of a product. */
export const EndoflifeDetails = Type.Object(
  {
    ...identity,
    versionCommand: Nullable(Text('php --version')),
    identifiers: Type.Array(Type.Object({ type: Text('purl'), id: Text('pkg:generic/php') })),
    labels: Type.Object({
      eoas: Text('Active Support'),
      discontinued: Type.Null(),
      eol: Text('Security Support'),
      eoes: Type.Null(),
    }),
    links: Type.Object({
      icon: Text('http://php.net/favicon.ico'),
      html: Uri('https://www.php.net/releases/'),
      releasePolicy: Nullable(Uri('https://www.php.net/supported-versions.php')),
    }),
    releases: Type.Array(EndoflifeRelease),
  },
  { $id: 'EndoflifeProduct' },
);
export type EndoflifeDetails = Static<typeof EndoflifeDetails>;

/** An identifier of a type, and whose it is. */
export const EndoflifeIdentifier = Type.Object({
  identifier: Text('cpe:2.3:a:php:php'),
  product: EndoflifeUri,
});

/** A release cycle as endoflife.date's first API describes it. */
const cycleDetail = {
  releaseDate: CalendarDate,
  eol: Type.Union([CalendarDate, Type.Boolean()]),
  latest: Text('8.4.24'),
  latestReleaseDate: CalendarDate,
  link: Uri(RELEASE_PAGE),
  lts: Type.Boolean(),
  support: Type.Union([CalendarDate, Type.Boolean()]),
};

/** As `/api/{product}/{cycle}.json` answers it. */
export const EndoflifeCycleDetail = Type.Object(cycleDetail, { $id: 'EndoflifeCycleDetail' });

/** As `/api/all.json` answers it. */
export const EndoflifeProductNames = Type.Array(Type.String(), { examples: [['php']] });

/** As `/api/{product}.json` answers it. */
export const EndoflifeCycles = Type.Array(Type.Object({ cycle: Text('8.4'), ...cycleDetail }));
export type EndoflifeCycles = Static<typeof EndoflifeCycles>;
