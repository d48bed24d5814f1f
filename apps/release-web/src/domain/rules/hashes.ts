import { ARCHIVES } from '../archive.ts';
import type { Catalogue } from '../catalogue.ts';
import { buildVersion, digestOf } from '../pre-release-build.ts';
import { error, filePlacesOf, isImported, type Place, releasePlaces, slotPlaces } from './place.ts';
import type { Rule } from './rule.ts';

const FORMATS = { sha256: /^[0-9a-f]{64}$/, md5: /^[0-9a-f]{32}$/ } as const;
const ALGORITHMS = ['sha256', 'md5'] as const;

/** A digest has the length of its algorithm, in lower case. 8.3.11 had one of 65 characters for three days. */
export const hashFormat: Rule = (catalogue) =>
  digests(catalogue)
    .filter(({ algorithm, digest }) => !FORMATS[algorithm].test(digest))
    .map((place) =>
      error(
        'hash-format',
        place,
        `${place.name} ${place.digest}`,
        `${place.algorithm} of ${place.name} is no ${place.algorithm}: ${place.digest.length} characters, "${place.digest}"`,
      ),
    );

/** Every file of a release that was not imported has a SHA-256. */
export const hashMissing: Rule = (catalogue) =>
  releasePlaces(catalogue)
    .filter(({ branch, release }) => !isImported(branch, release.version))
    .flatMap(filePlacesOf)
    .filter(({ artefact }) => artefact.sha256 === undefined)
    .map((place) =>
      error(
        'hash-missing',
        place,
        `${place.release.version} ${place.artefact.filename}`,
        `${place.artefact.filename} has no sha256`,
      ),
    );

/** Two files of one release never have the same digest. 8.0.10 gave its bz2 the digest of its gz. */
export const hashUniqueInRelease: Rule = (catalogue) => repeated(catalogue, 'hash-unique-in-release', true);

/**
 * A digest belongs to one release or build, past ones included. 8.0.8 was published with the digests of its RC1.
 * Imported: 5.3.26 repeats 5.3.25.
 */
export const hashUnique: Rule = (catalogue) => repeated(catalogue, 'hash-unique', false);

const repeated = (catalogue: Catalogue, rule: string, within: boolean) => {
  const seen = new Map<string, DigestPlace[]>();
  return digests(catalogue).flatMap((place) => {
    const others = seen.get(place.digest) ?? [];
    seen.set(place.digest, [...others, place]);
    const other = others.find(({ owner }) => (owner === place.owner) === within);
    // A builder corrects the digest of the newer one, so that is where the finding points.
    return other
      ? [
          error(
            rule,
            place,
            `${place.name} ${place.digest}`,
            `${place.name} has the ${place.algorithm} of ${other.name}`,
          ),
        ]
      : [];
  });
};

interface DigestPlace extends Place {
  readonly algorithm: 'sha256' | 'md5';
  readonly digest: string;
  /** the release or build it belongs to: `8.4.25`, `8.4.25RC1` */
  readonly owner: string;
  /** the file, for people */
  readonly name: string;
}

/** Every digest on record, oldest first: retired builds, releases, then the builds on offer. */
const digests = (catalogue: Catalogue): DigestPlace[] => [
  ...retiredDigests(catalogue),
  ...releaseDigests(catalogue),
  ...buildDigests(catalogue),
];

const releaseDigests = (catalogue: Catalogue): DigestPlace[] =>
  releasePlaces(catalogue)
    .reverse()
    .flatMap(filePlacesOf)
    .flatMap(({ file, pointer, release, artefact }) =>
      ALGORITHMS.flatMap((algorithm) => {
        const digest = artefact[algorithm];
        if (digest === undefined) return [];
        const owner = release.version;
        return [
          { file, pointer: `${pointer}/${algorithm}`, algorithm, digest, owner, name: artefact.filename },
        ];
      }),
    );

const buildDigests = (catalogue: Catalogue): DigestPlace[] =>
  slotPlaces(catalogue).flatMap(({ file, pointer, slot }) =>
    ARCHIVES.flatMap((archive) => {
      const digest = digestOf(slot.release, archive);
      // An empty digest says "none"; that an active build has all three is judged by a rule of its own.
      if (!digest) return [];
      const owner = buildVersion(slot);
      return [
        {
          file,
          pointer: `${pointer}/release/sha256_${archive}`,
          algorithm: 'sha256' as const,
          digest,
          owner,
          name: `${owner} (${archive})`,
        },
      ];
    }),
  );

const retiredDigests = (catalogue: Catalogue): DigestPlace[] =>
  catalogue.branches.flatMap(({ branch, retired_builds }) =>
    retired_builds.flatMap(({ version, sha256 }, index) =>
      sha256.map((digest, file) => ({
        file: `branches/${branch}.json`,
        pointer: `/retired_builds/${index}/sha256/${file}`,
        algorithm: 'sha256' as const,
        digest,
        owner: version,
        name: version,
      })),
    ),
  );
