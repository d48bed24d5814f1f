import { Type } from '@sinclair/typebox';
import { STATES } from '../../domain/support-state.ts';

const NullableDateTime = Type.Union([
  Type.String({
    pattern: '^\\d{4}-\\d\\d-\\d\\dT00:00:00\\+00:00$',
    examples: ['2027-12-31T00:00:00+00:00'],
  }),
  Type.Null(),
]);

const stateMembers = {
  state: Type.Union([...STATES.map((state) => Type.Literal(state)), Type.Null()]),
  initial_release: NullableDateTime,
  active_support_end: NullableDateTime,
  security_support_end: NullableDateTime,
};

/** `/releases/branches.php`. */
export const PhpBranches = Type.Array(
  Type.Object({
    branch: Type.String({ examples: ['8.5'] }),
    latest: Type.String({ examples: ['8.5.9'] }),
    ...stateMembers,
  }),
  { $id: 'PhpBranches' },
);

/** A map by major version, then by branch; php.net writes an empty one as a list. Its parts have names for generators. */
const ByMajor = <const Id extends string>(id: Id, item: ReturnType<typeof Type.Object>, example: unknown) => {
  const byBranch = Type.Record(Type.String(), item, { $id: `${id}ByBranch` });
  const none = Type.Array(Type.Never(), { maxItems: 0 });
  return Type.Union([Type.Record(Type.String(), byBranch, { $id: `${id}ByMajor` }), none], {
    $id: id,
    examples: [{ 8: example }],
  });
};

/** `/releases/states.php`. */
export const PhpStates = ByMajor('PhpStates', Type.Object(stateMembers, { $id: 'PhpState' }), {
  '8.5': {
    state: 'stable',
    initial_release: '2025-11-20T00:00:00+00:00',
    active_support_end: '2027-12-31T00:00:00+00:00',
    security_support_end: '2029-12-31T00:00:00+00:00',
  },
});

const RELEASE_EXAMPLE = {
  announcement: true,
  tags: ['security'],
  date: '30 Jul 2026',
  source: [{ filename: 'php-8.4.24.tar.gz', name: 'PHP 8.4.24 (tar.gz)', date: '30 Jul 2026' }],
  version: '8.4.24',
};

/** A release as it is stored, with whatever members it has. */
const PhpRelease = Type.Object(
  {
    date: Type.String(),
    source: Type.Array(Type.Object({ name: Type.String() }, { additionalProperties: true })),
  },
  { additionalProperties: true, $id: 'PhpRelease' },
);

/** `/releases/active.php`. */
export const PhpActive = ByMajor('PhpActive', PhpRelease, { '8.4': RELEASE_EXAMPLE });

/** `/releases/index.php?json`. */
export const PhpReleaseIndex = Type.Union(
  [PhpRelease, Type.Object({ error: Type.String() }), Type.Record(Type.String(), PhpRelease)],
  { $id: 'PhpReleaseIndex', examples: [RELEASE_EXAMPLE] },
);

/** Empty while there is no build. */
const DigestText = Type.String({ examples: [''] });

const PreReleaseRecord = Type.Object(
  {
    version: Type.String({ examples: ['8.4.25'] }),
    active: Type.Boolean(),
    release: Type.Object({ type: Type.String({ examples: ['RC'] }), number: Type.Integer() }),
    sha256_gz: DigestText,
    sha256_bz2: DigestText,
    sha256_xz: DigestText,
    date: Type.String({ examples: ['05 Aug 2026'] }),
    baseurl: Type.String({ examples: ['https://downloads.php.net/~calvinb/'] }),
    enabled: Type.Boolean(),
    dev_version: Type.String({ examples: ['8.4.25-dev'] }),
  },
  { $id: 'PreReleaseRecord' },
);

/** `/pre-release-builds.php`: records, or with PRE_RELEASE_SHAPE=keyed php.net's map; with `only`, versions. */
export const PreReleases = Type.Union(
  [
    Type.Array(PreReleaseRecord),
    Type.Array(Type.String()),
    Type.Record(Type.String(), Type.Unknown(), { description: 'with PRE_RELEASE_SHAPE=keyed' }),
    Type.Null({ description: 'dev_versions with PRE_RELEASE_SHAPE=keyed, when nothing is active' }),
  ],
  { $id: 'PreReleases' },
);
