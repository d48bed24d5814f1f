/** The settings that answers depend on, named like their environment variables. */
export interface SiteSettings {
  readonly PORT: number;
  readonly PUBLIC_BASE_URL?: string;
  readonly PRE_RELEASE_SHAPE: 'records' | 'keyed';
  /** days without new facts after which answers say that newer ones may exist */
  readonly DATA_STALE_DAYS: number;
  readonly WEBSUB_HUB?: string;
  readonly MIRROR_HOSTNAME: string;
  readonly MIRROR_ADDRESS: string;
}

/** Paths of options that pages of the core link to. Without the option, pages have no link. */
export interface PageLinks {
  /** the days of the support schedule, as a calendar */
  readonly calendar?: string;
  /** those of a branch that are to come */
  readonly branchCalendar?: (branch: string) => string;
  /** the record of a vulnerability */
  readonly vulnerability?: (cve: string) => string;
}

/** What answers depend on besides facts and time; the same for the life of a process. */
export interface Site {
  readonly settings: SiteSettings;
  /** no slash at the end */
  readonly baseUrl: string;
  /** what redirects begin with: the base URL when it is configured, else nothing, so that they are relative */
  readonly redirectBase: string;
  readonly links: PageLinks;
  /** of the software */
  readonly version: string;
  /** of Node */
  readonly runtimeVersion: string;
}

export const siteOf = (
  settings: SiteSettings,
  versions: Pick<Site, 'runtimeVersion' | 'version'>,
  options: readonly { readonly links?: PageLinks }[],
): Site => {
  const { PUBLIC_BASE_URL } = settings;
  const redirectBase = PUBLIC_BASE_URL === undefined ? '' : new URL(PUBLIC_BASE_URL).origin;
  return {
    ...versions,
    settings,
    redirectBase,
    baseUrl: redirectBase || localUrl(settings.PORT),
    links: Object.assign({}, ...options.map(({ links }) => links)) as PageLinks,
  };
};

/** Where a service without a public address is reached from the same host. Port 0 is decided later, by the system. */
const localUrl = (port: number): string => (port === 0 ? 'http://localhost' : `http://localhost:${port}`);
