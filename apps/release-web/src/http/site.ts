import type { Config } from '../config.ts';
import type { HostFacts } from './representations/mirror-info.ts';

/** What answers depend on besides facts and time; the same for the life of a process. */
export interface Site {
  /** no slash at the end */
  readonly baseUrl: string;
  /** what redirects begin with: the base URL when it is configured, else nothing, so that they are relative */
  readonly redirectBase: string;
  readonly preReleaseShape: Config['PRE_RELEASE_SHAPE'];
  readonly host: HostFacts;
}

export const siteOf = (config: Config): Site => {
  const redirectBase = (config.PUBLIC_BASE_URL ?? '').replace(/\/+$/, '');
  const baseUrl = redirectBase || localUrl(config.PORT);
  return {
    baseUrl,
    redirectBase,
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

/** Where a service without a public address is reached from the same host. Port 0 is decided later, by the system. */
const localUrl = (port: number): string => (port === 0 ? 'http://localhost' : `http://localhost:${port}`);
