import type { Release, WindowsBuild } from '../schemas/index.ts';
import { error, locatedReleases } from './location.ts';
import type { Rule } from './rule.ts';

/** The files of the builds of a release for Windows. */
const windowsFilesOf = ({ windows }: Release) =>
  Object.values(windows?.builds ?? {}).flatMap(({ zip, debug_pack, devel_pack }: WindowsBuild) =>
    [zip, debug_pack, devel_pack].filter((file) => file !== undefined),
  );

/** A file of a build for Windows is named after its version, and no two files on record have the same name or digest. */
export const windowsBuilds: Rule = (catalogue) => {
  const owners = new Map<string, string>();
  return locatedReleases(catalogue).flatMap((location) => {
    const { version } = location.release;
    return windowsFilesOf(location.release).flatMap(({ path, sha256 }) => {
      const twice = [path, sha256].find((value) => owners.has(value));
      const owner = twice && owners.get(twice);
      for (const value of [path, sha256]) owners.set(value, path);
      const problem = !path.includes(`-${version}-`)
        ? `is not named after ${version}`
        : twice && `has the ${twice === path ? 'name' : 'digest'} of ${owner}`;
      return problem
        ? [
            error(
              'windows-builds',
              location,
              `${version} ${path} ${sha256}`,
              `${path} ${problem}`,
              '/windows',
            ),
          ]
        : [];
    });
  });
};
