import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { DateTime } from '@workspace/schemas';
import { ApiState } from './branch.ts';
import { NullableDate } from './envelope.ts';

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const CalendarDate = Type.String({ format: 'date' });

/** A branch in one flat object, for scripts. */
export const BranchSupport = Type.Object(
  {
    branch: Type.String({ examples: ['8.4'] }),
    state: ApiState,
    is_maintained: Type.Boolean({ description: 'gets at least security fixes now' }),
    is_eol: Type.Boolean({ description: 'was released and gets no fixes any more' }),
    latest: Nullable(Type.String({ examples: ['8.4.24'] })),
    latest_release_date: NullableDate('day of the latest release'),
    initial_release: NullableDate('day of the first release'),
    active_support_end: NullableDate('from this day on, 00:00 UTC, only security issues are fixed'),
    security_support_end: NullableDate('from this day on, 00:00 UTC, nothing is fixed'),
  },
  { $id: 'BranchSupport' },
);
export type BranchSupport = Static<typeof BranchSupport>;

/** A release cycle as endoflife.date's API v1 (schema 1.2) describes it. */
export const EndoflifeRelease = Type.Object(
  {
    name: Type.String({ examples: ['8.4'] }),
    codename: Type.Null(),
    label: Type.String(),
    releaseDate: CalendarDate,
    isLts: Type.Boolean(),
    ltsFrom: Type.Null(),
    isEoas: Type.Boolean({ description: 'active support has ended' }),
    eoasFrom: Nullable(CalendarDate),
    isEol: Type.Boolean(),
    eolFrom: Nullable(CalendarDate),
    isMaintained: Type.Boolean(),
    latest: Type.Object({ name: Type.String(), date: CalendarDate, link: Type.String({ format: 'uri' }) }),
    custom: Type.Null(),
  },
  { $id: 'EndoflifeRelease' },
);
export type EndoflifeRelease = Static<typeof EndoflifeRelease>;

const frame = {
  schema_version: Type.Literal('1.2.0', { description: 'of endoflife.date' }),
  generated_at: DateTime,
  last_modified: DateTime,
};

/** A product as endoflife.date's `/api/v1/products/{product}` answers it. */
export const EndoflifeProduct = Type.Object(
  {
    ...frame,
    result: Type.Object({
      name: Type.String({ examples: ['php'] }),
      aliases: Type.Array(Type.String()),
      label: Type.String({ examples: ['PHP'] }),
      category: Type.Literal('lang'),
      tags: Type.Array(Type.String()),
      versionCommand: Type.Null(),
      identifiers: Type.Array(Type.Object({ type: Type.String(), id: Type.String() })),
      labels: Type.Object({
        eoas: Type.String(),
        discontinued: Type.Null(),
        eol: Type.String(),
        eoes: Type.Null(),
      }),
      links: Type.Object({
        icon: Type.String(),
        html: Type.String({ format: 'uri' }),
        releasePolicy: Type.Null(),
      }),
      releases: Type.Array(EndoflifeRelease),
    }),
  },
  { $id: 'EndoflifeProduct' },
);
export type EndoflifeProduct = Static<typeof EndoflifeProduct>;

/** A release cycle as endoflife.date's first API describes it. */
const cycleDetail = {
  releaseDate: CalendarDate,
  eol: Type.Union([CalendarDate, Type.Boolean()]),
  latest: Type.String(),
  latestReleaseDate: CalendarDate,
  link: Type.String({ format: 'uri' }),
  lts: Type.Boolean(),
  support: Type.Union([CalendarDate, Type.Boolean()]),
};

/** As `/api/{product}/{cycle}.json` answers it. */
export const EndoflifeCycleDetail = Type.Object(cycleDetail, { $id: 'EndoflifeCycleDetail' });
export type EndoflifeCycleDetail = Static<typeof EndoflifeCycleDetail>;

/** As `/api/{product}.json` answers it. */
export const EndoflifeCycles = Type.Array(Type.Object({ cycle: Type.String(), ...cycleDetail }));
export type EndoflifeCycles = Static<typeof EndoflifeCycles>;
