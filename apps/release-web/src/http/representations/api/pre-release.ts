import { type Static, Type } from '@sinclair/typebox';
import {
  branchOf,
  BUILD_COMPRESSIONS,
  buildUrl,
  buildVersion,
  digestOf,
  isEnabled,
  isoDate,
  parseDateText,
  type PreRelease,
  type ProductFile,
} from '@workspace/release-catalogue';
import { NullableDate } from './envelope.ts';

/** A coming release and its newest build. */
export const ApiPreRelease = Type.Object(
  {
    version: Type.String({ description: 'of the release to come', examples: ['8.4.25'] }),
    branch: Type.String({ examples: ['8.4'] }),
    is_active: Type.Boolean(),
    is_available: Type.Boolean({ description: 'there is a build to download' }),
    build: Type.Union([Type.String(), Type.Null()], {
      examples: ['8.4.25RC1'],
      description: 'null: none yet',
    }),
    type: Type.Union((['alpha', 'beta', 'RC'] as const).map((type) => Type.Literal(type))),
    number: Type.Integer({ minimum: 0 }),
    date: NullableDate('day of the build'),
    dev_version: Type.String({ examples: ['8.4.25-dev'] }),
    files: Type.Array(Type.Object({ url: Type.String({ format: 'uri' }), sha256: Type.String() })),
  },
  { $id: 'PreRelease' },
);
export type ApiPreRelease = Static<typeof ApiPreRelease>;

export const preReleaseView = (product: ProductFile, slot: PreRelease): ApiPreRelease => {
  const { version, active, release } = slot;
  const day = release.date === undefined ? null : parseDateText(release.date);
  return {
    version,
    branch: branchOf(version),
    is_active: active,
    is_available: isEnabled(slot),
    build: release.number > 0 ? buildVersion(slot) : null,
    type: release.type,
    number: release.number,
    date: day && isoDate(day),
    dev_version: `${version}-dev`,
    files: isEnabled(slot)
      ? BUILD_COMPRESSIONS.flatMap((archive) => {
          const sha256 = digestOf(release, archive);
          return sha256 ? [{ url: buildUrl(product, slot, archive), sha256 }] : [];
        })
      : [],
  };
};
