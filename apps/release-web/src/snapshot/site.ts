import type { Config } from '../config.ts';
import type { HostFacts } from '../views/mirror-info.ts';

/** What answers depend on besides facts and time; the same for the life of a process. */
export interface Site {
  /** no slash at the end */
  readonly baseUrl: string;
  readonly preReleaseShape: Config['PRE_RELEASE_SHAPE'];
  readonly host: HostFacts;
}

export const siteOf = (config: Config): Site => {
  const baseUrl = config.PUBLIC_BASE_URL.replace(/\/+$/, '');
  return {
    baseUrl,
    preReleaseShape: config.PRE_RELEASE_SHAPE,
    host: {
      siteUrl: `${baseUrl}/`,
      runtimeVersion: process.versions.node,
      components: config.MIRROR_COMPONENTS.split(',').map((name) => name.trim()),
      hostname: config.MIRROR_HOSTNAME,
      address: config.MIRROR_ADDRESS,
    },
  };
};
