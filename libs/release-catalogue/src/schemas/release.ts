import { type Static, Type } from '@sinclair/typebox';
import { Signatures } from './signing-key.ts';
import {
  CalendarDate,
  CveId,
  DateText,
  exact,
  Instant,
  PagePath,
  RecordedVersion,
  Uri,
  Version,
  WebAddress,
} from './scalars.ts';

/** A file to download. The rules check the lengths of digests: two old ones are wrong and stay on record. */
export const SourceFile = Type.Object(
  {
    filename: Type.String({ minLength: 1 }),
    name: Type.String(),
    sha256: Type.Optional(Type.String()),
    md5: Type.Optional(Type.String()),
    date: Type.Optional(DateText),
    note: Type.Optional(Type.String()),
  },
  exact,
);
export type SourceFile = Static<typeof SourceFile>;

/** A page that lists files, where old releases name no file of their own. */
export const SourceLink = Type.Object({ link: WebAddress, name: Type.String() }, exact);
export type SourceLink = Static<typeof SourceLink>;

/**
 * A release exactly as `/releases/index.php` publishes it: members stay in the order of this file, dates in their own
 * wording. Clients of php.net compare these bytes, so nothing here is ever normalised.
 */
export const Published = Type.Object(
  {
    announcement: Type.Optional(Type.Union([Type.Boolean(), Type.Record(Type.String(), PagePath)])),
    tags: Type.Optional(Type.Array(Type.String())),
    date: DateText,
    source: Type.Array(Type.Union([SourceFile, SourceLink]), { minItems: 1 }),
    windows: Type.Optional(
      Type.Array(Type.Union([SourceFile, SourceLink]), {
        description: 'files that php.net listed until 2009',
      }),
    ),
    museum: Type.Optional(Type.Boolean()),
  },
  exact,
);
export type Published = Static<typeof Published>;

/** One release of a branch. */
export const Release = Type.Object(
  {
    version: RecordedVersion,
    date: CalendarDate,
    kind: Type.Union([Type.Literal('security'), Type.Literal('bugfix'), Type.Literal('unrecorded')], {
      description: 'unrecorded: an old release whose tags were never written down',
    }),
    rank: Type.Integer({
      minimum: 1,
      description:
        'place in its table (current or history) of the major version, 1 = last; of the same rank, the later release is first. php.net keeps an order that no rule gives',
    }),
    fixes: Type.Optional(
      Type.Array(CveId, {
        minItems: 1,
        uniqueItems: true,
        description: 'the vulnerabilities that it fixes; a new security release has at least one',
      }),
    ),
    sizes: Type.Optional(
      Type.Record(Type.String({ minLength: 1 }), Type.Integer({ minimum: 1 }), {
        description: 'bytes by file name, measured when the release was published from its files',
      }),
    ),
    signatures: Type.Optional(Signatures),
    feed: Type.Optional(
      Type.Object(
        { id: Uri, published: Type.Optional(Instant) },
        {
          ...exact,
          description: 'what feed readers know it by and when it came out, both fixed when it is published',
        },
      ),
    ),
    yanked: Type.Optional(Type.Object({ date: CalendarDate, reason: Type.String({ minLength: 1 }) }, exact)),
    published: Published,
  },
  exact,
);
export type Release = Static<typeof Release>;

/** The build on offer, members in the order of the file. `number` 0 means no build yet. */
export const Build = Type.Object(
  {
    type: Type.Union([Type.Literal('alpha'), Type.Literal('beta'), Type.Literal('RC')], {
      description: 'its case is part of file names',
    }),
    number: Type.Integer({ minimum: 0 }),
    sha256_bz2: Type.Optional(Type.String()),
    sha256_gz: Type.Optional(Type.String()),
    sha256_xz: Type.Optional(Type.String()),
    date: Type.Optional(DateText),
    baseurl: Type.Optional(Type.String()),
  },
  exact,
);
export type Build = Static<typeof Build>;

/** The slot of a coming release: its base version and the newest build of it. */
export const PreRelease = Type.Object({ version: Version, active: Type.Boolean(), release: Build }, exact);
export type PreRelease = Static<typeof PreRelease>;

/** A build that was replaced or promoted, kept so that its digests are never published again. */
export const RetiredBuild = Type.Object(
  {
    version: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+(alpha|beta|RC)\\d+$', examples: ['8.4.25RC1'] }),
    sha256: Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' })),
    date: Type.Optional(DateText),
  },
  exact,
);
export type RetiredBuild = Static<typeof RetiredBuild>;
