import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { branchOf, type Published, releasesOf, supportDates } from '@workspace/release-catalogue';
import { branchesOfTables, type PhpTables } from '@workspace/release-catalogue/testing';

export interface PhpSite {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** A site that publishes tables as php.net does; they are read for each request. @param failing paths that answer with an error @param vulnerabilities only release-web has them */
export const startPhpSite = async (
  tables: () => PhpTables,
  failing: Set<string> = new Set(),
  vulnerabilities: readonly object[] = [],
): Promise<PhpSite> => {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://site');
    const { current, old, qa } = tables();
    const answers: Record<string, () => unknown> = {
      '/releases/index.php': () => {
        const major = searchParams.get('version');
        return major === null ? { ...old, ...current } : { ...current[major], ...old[major] };
      },
      '/releases/active.php': () =>
        Object.fromEntries(
          Object.entries(current).map(([major, releases]) => [
            major,
            Object.fromEntries(
              Object.entries(releases).map(([version, release]) => [
                branchOf(version),
                { ...release, version },
              ]),
            ),
          ]),
        ),
      '/releases/branches.php': () =>
        branchesOfTables(tables())
          .filter((branch) => releasesOf(branch).length > 0)
          .map((branch) => {
            const { initialRelease, activeSupportEnd, securitySupportEnd } = supportDates(branch);
            return {
              branch: branch.branch,
              initial_release: phpDate(initialRelease),
              active_support_end: phpDate(activeSupportEnd),
              security_support_end: phpDate(securitySupportEnd),
            };
          }),
      ...(vulnerabilities.length > 0 && { '/api/v1/security': () => ({ items: vulnerabilities }) }),
      '/pre-release-builds.php': () => ({ ...qa, reported: [], releases: {} }),
    };
    const answer = failing.has(pathname) ? undefined : answers[pathname];
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
    response.end(answer ? JSON.stringify(answer()) : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const phpDate = (date: Date | null) => date && date.toISOString().replace('.000Z', '+00:00');

/** php.net publishes a release of major version 8: it takes the place of the one before, which goes into the history. */
export const publishRelease = (
  tables: PhpTables,
  version: string,
  { date, tags, digests }: { date: string; tags: string[]; digests: readonly string[] },
): void => {
  const branch = branchOf(version);
  const before = Object.keys(tables.current['8']!).find((known) => branchOf(known) === branch);
  const release = {
    announcement: true,
    tags,
    date,
    source: ['gz', 'bz2', 'xz'].map((archive, index) => ({
      filename: `php-${version}.tar.${archive}`,
      name: `PHP ${version} (tar.${archive})`,
      sha256: digests[index]!,
      date,
    })),
  };
  const table = tables.current['8']!;
  if (before === undefined) {
    tables.current['8'] = { [version]: release, ...table };
    return;
  }
  const past = table[before]!;
  tables.current['8'] = Object.fromEntries(
    Object.entries(table).map(([known, facts]) => (known === before ? [version, release] : [known, facts])),
  );
  intoHistory(tables, before, past);
};

/** php.net takes a branch out of its current table. */
export const retireBranch = (tables: PhpTables, branch: string): void => {
  const table = tables.current['8']!;
  const last = Object.keys(table).find((known) => branchOf(known) === branch)!;
  intoHistory(tables, last, table[last]!);
  delete table[last];
};

const intoHistory = (tables: PhpTables, version: string, release: Published): void => {
  tables.old['8'] = {
    [version]: {
      ...release,
      announcement: { English: `/releases/${version.replaceAll('.', '_')}.php` },
      museum: false,
    },
    ...tables.old['8'],
  };
};
