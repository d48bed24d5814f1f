import { Type } from '@sinclair/typebox';

const NullableDateTime = Type.Union([
  Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT00:00:00\\+00:00$' }),
  Type.Null(),
]);

const stateMembers = {
  state: Type.Union([
    ...(['future', 'stable', 'security', 'eol'] as const).map((state) => Type.Literal(state)),
    Type.Null(),
  ]),
  initial_release: NullableDateTime,
  active_support_end: NullableDateTime,
  security_support_end: NullableDateTime,
};

/** `/releases/branches.php`. */
export const PhpBranches = Type.Array(
  Type.Object({ branch: Type.String(), latest: Type.String(), ...stateMembers }),
  { $id: 'PhpBranches' },
);

/** A map by major version, then by branch; php.net writes an empty one as a list. Its parts have names for generators. */
const ByMajor = <const Id extends string>(id: Id, item: ReturnType<typeof Type.Object>) => {
  const byBranch = Type.Record(Type.String(), item, { $id: `${id}ByBranch` });
  const none = Type.Array(Type.Never(), { maxItems: 0 });
  return Type.Union([Type.Record(Type.String(), byBranch, { $id: `${id}ByMajor` }), none], { $id: id });
};

/** `/releases/states.php`. */
export const PhpStates = ByMajor('PhpStates', Type.Object(stateMembers, { $id: 'PhpState' }));

/** A release as it is stored, with whatever members it has. */
const PhpRelease = Type.Object(
  {
    date: Type.String(),
    source: Type.Array(Type.Object({ name: Type.String() }, { additionalProperties: true })),
  },
  { additionalProperties: true, $id: 'PhpRelease' },
);

/** `/releases/active.php`. */
export const PhpActive = ByMajor('PhpActive', PhpRelease);

/** `/releases/index.php?json`. */
export const PhpReleaseIndex = Type.Union(
  [PhpRelease, Type.Object({ error: Type.String() }), Type.Record(Type.String(), PhpRelease)],
  { $id: 'PhpReleaseIndex' },
);

const PreReleaseRecord = Type.Object(
  {
    version: Type.String(),
    active: Type.Boolean(),
    release: Type.Object({ type: Type.String(), number: Type.Integer() }),
    sha256_gz: Type.String(),
    sha256_bz2: Type.String(),
    sha256_xz: Type.String(),
    date: Type.String(),
    baseurl: Type.String(),
    enabled: Type.Boolean(),
    dev_version: Type.String(),
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
