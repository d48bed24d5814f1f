import { type Static, Type } from '@sinclair/typebox';
import { ApiState } from './branch.ts';
import { NullableDate } from './envelope.ts';

/** What the owner of an installation wants to know about its version. */
export const ApiSupport = Type.Object(
  {
    version: Type.String({ description: 'as it was asked for', examples: ['8.4.20', '7.4.3-4ubuntu2.29'] }),
    base_version: Type.String({
      description: 'what the project calls it, without what a distribution added',
      examples: ['8.4.20', '7.4.3'],
    }),
    branch: Type.String({ examples: ['8.4'] }),
    is_distribution_build: Type.Boolean({
      description: 'a distribution built it and may have fixed issues that this answer does not know of',
    }),
    is_on_record: Type.Boolean({
      description: 'this very version was published (or the branch, when only the branch is asked for)',
    }),
    is_yanked: Type.Boolean({ description: 'this very version was withdrawn' }),
    state: ApiState,
    is_supported: Type.Union([Type.Boolean(), Type.Null()], {
      description:
        'its branch gets fixes; false for pre-releases; null when the branch does but this version is not on record',
    }),
    needs_patch: Type.Union([Type.Boolean(), Type.Null()], {
      description:
        'its branch has a newer release; null when only the branch is asked for, or for a version that is neither on record nor older than the latest',
    }),
    needs_upgrade: Type.Boolean({ description: 'its branch is not supported: move to another one' }),
    missed_security_releases: Type.Array(Type.String(), {
      description: 'newer releases of the branch that fix security issues',
      examples: [['8.4.24']],
    }),
    latest: Type.Union([Type.String(), Type.Null()], {
      description: 'newest of the branch',
      examples: ['8.4.24'],
    }),
    recommended: Type.Union([Type.String(), Type.Null()], {
      description: 'newest of the newest supported branch',
      examples: ['8.5.9'],
    }),
    last_supported_day: NullableDate('of the branch'),
  },
  { $id: 'Support' },
);
export type ApiSupport = Static<typeof ApiSupport>;
