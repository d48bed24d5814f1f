import { type Catalogue, latestRelease } from '@workspace/release-catalogue';

/** What a host says about itself besides its data. */
export interface HostFacts {
  /** with a trailing slash */
  readonly siteUrl: string;
  readonly runtimeVersion: string;
  readonly components: readonly string[];
  readonly hostname: string;
  readonly address: string;
}

/** `/mirror-info.php`: eleven fields in one line, for the scripts that watch mirrors. @param catalogue null: no data */
export const mirrorInfo = (catalogue: Catalogue | null, host: HostFacts): string =>
  [
    host.siteUrl,
    host.runtimeVersion,
    catalogue ? Math.floor(catalogue.revision.getTime() / 1000) : 0,
    0, // bit mask of SQLite drivers: none
    0, // no local statistics
    'en',
    'manual-noalias',
    catalogue && newestReleaseVerifies(catalogue) ? 1 : 0,
    host.components.join(','),
    host.hostname,
    host.address,
  ]
    .map((field) => String(field).replace(/[|\r\n]/g, ''))
    .join('|');

/** Whether every file of the newest release has a SHA-256 digest one could verify it with. */
const newestReleaseVerifies = (catalogue: Catalogue): boolean => {
  const newest = [...catalogue.branches].reverse().map(latestRelease).find(Boolean);
  return (
    newest !== undefined &&
    newest.published.source.every((file) => 'sha256' in file && /^[0-9a-f]{64}$/.test(file.sha256 ?? ''))
  );
};
