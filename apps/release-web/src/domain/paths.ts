import {
  type BranchFile,
  BUILD_COMPRESSIONS,
  buildUrl,
  buildVersion,
  type Catalogue,
  isEnabled,
  preReleases,
  type Release,
  releasesOf,
  tarballName,
} from '@workspace/release-catalogue';

/** Where the page of a branch is. */
export const branchPath = ({ branch }: Pick<BranchFile, 'branch'>): string => `/releases/${branch}/`;

/** Where the page of a release is; of `3.0.x (latest)`, which has none, that of its branch. */
export const releasePath = ({ version }: Pick<Release, 'version'>): string => {
  const [, oldBranch] = /^(\d+\.\d+)\.x/.exec(version) ?? [];
  return oldBranch === undefined
    ? `/releases/${version.replaceAll('.', '_')}.php`
    : branchPath({ branch: oldBranch });
};

/** A detached OpenPGP signature is kept beside the file it signs. */
const SIGNATURE = '.asc';

/**
 * Where a file is kept: one of a release, one of a pre-release build on offer, or the signature of either.
 * @returns undefined for a name that belongs to nothing on record
 */
export const downloadUrl = (catalogue: Catalogue, filename: string): string | undefined => {
  const signed = filename.endsWith(SIGNATURE) ? filename.slice(0, -SIGNATURE.length) : filename;
  const suffix = filename.slice(signed.length);
  if (isReleased(catalogue, signed)) {
    return catalogue.product.downloads.releases + encodeURIComponent(signed) + suffix;
  }
  const url = buildUrlOf(catalogue, signed);
  return url && url + suffix;
};

const isReleased = (catalogue: Catalogue, filename: string): boolean =>
  catalogue.branches.some((branch) =>
    releasesOf(branch).some(({ published }) =>
      [...published.source, ...(published.windows ?? [])].some(
        (file) => 'filename' in file && file.filename === filename,
      ),
    ),
  );

const buildUrlOf = (catalogue: Catalogue, filename: string): string | undefined =>
  preReleases(catalogue)
    .filter(isEnabled)
    .flatMap((slot) =>
      BUILD_COMPRESSIONS.filter(
        (compression) => tarballName(catalogue.product, buildVersion(slot), compression) === filename,
      ).map((compression) => buildUrl(catalogue.product, slot, compression)),
    )[0];
