import { Type } from '@sinclair/typebox';
import { ApiBranch } from './branch.ts';
import { Many, One, Page } from './envelope.ts';
import { ApiEvent } from './event.ts';
import { ApiPreRelease } from './pre-release.ts';
import { ApiRelease } from './release.ts';
import { ApiSupport } from './support.ts';

/** The shapes of the responses of `/api/v1`. */
export const ApiSchemas = {
  branches: Many(ApiBranch),
  branch: One(ApiBranch),
  releases: Page(ApiRelease),
  release: One(ApiRelease),
  preReleases: Many(ApiPreRelease),
  devVersions: Many(Type.String({ examples: ['8.4.25-dev'] })),
  support: One(ApiSupport),
  events: Many(ApiEvent),
};
