import { COMPRESSIONS, tarballName } from '../facts/tarball-name.ts';
import type { Catalogue } from '../facts/catalogue.ts';
import { buildVersion, digestOf } from '../facts/pre-release-build.ts';
import {
  error,
  locatedFilesOf,
  isImported,
  type Location,
  locatedReleases,
  locatedSlots,
} from './location.ts';
import type { Finding, Rule, Violation } from './rule.ts';

const FORMATS = { sha256: /^[0-9a-f]{64}$/, md5: /^[0-9a-f]{32}$/ } as const;
const ALGORITHMS = ['sha256', 'md5'] as const;

/** A digest has the length of its algorithm, in lower case. 8.3.11 had one of 65 characters for three days. */
export const hashFormat: Rule = function* (catalogue) {
  for (const location of digests(catalogue)) {
    const { algorithm, digest, name } = location;
    if (!FORMATS[algorithm].test(digest))
      yield error(
        location,
        `${name} ${digest}`,
        `${algorithm} of ${name} is not a ${algorithm} digest: ${digest.length} characters, "${digest}"`,
      );
  }
};

/** Every file of a release that was not imported has a SHA-256. */
export const hashMissing: Rule = function* (catalogue) {
  for (const location of locatedReleases(catalogue).flatMap(locatedFilesOf)) {
    const { branch, release, artefact } = location;
    if (artefact.sha256 === undefined && !isImported(branch, release.version))
      yield error(location, `${release.version} ${artefact.filename}`, `${artefact.filename} has no sha256`);
  }
};

/** Two files of one release never have the same digest. 8.0.10 gave its bz2 the digest of its gz. */
export const hashUniqueInRelease: Rule = (catalogue) => repeated(catalogue, true);

/**
 * A digest belongs to one release or build, past ones included. 8.0.8 was published with the digests of its RC1.
 * Imported: 5.3.26 repeats 5.3.25.
 */
export const hashUnique: Rule = (catalogue) => repeated(catalogue, false);

const repeated = function* (catalogue: Catalogue, within: boolean): Iterable<Finding> {
  const seen = new Map<string, LocatedDigest[]>();
  for (const location of digests(catalogue)) {
    const { algorithm, digest, name, owner } = location;
    const others = seen.get(digest) ?? [];
    seen.set(digest, [...others, location]);
    const other = others.find((one) => (one.owner === owner) === within);
    // A builder corrects the digest of the newer one, so that is where the violation points.
    if (other) yield error(location, `${name} ${digest}`, `${name} has the ${algorithm} of ${other.name}`);
  }
};

/** Every file of a release or build on offer with its SHA-256. */
export const recordedFiles = (catalogue: Catalogue): LocatedDigest[] =>
  [...releaseDigests(catalogue), ...buildDigests(catalogue)].filter(
    ({ algorithm }) => algorithm === 'sha256',
  );

/** Files whose digest is another than the recorded one: 7.4.0 and 8.1.16 had those of another build. */
export const digestsOnDisk = (catalogue: Catalogue, found: ReadonlyMap<string, string>): Violation[] =>
  recordedFiles(catalogue).flatMap((recorded) => {
    const { name, digest } = recorded;
    const onDisk = found.get(name) ?? digest;
    const detail = `${name} is on record with ${digest}, the file is ${onDisk}`;
    return onDisk === digest
      ? []
      : [{ rule: 'hash-on-disk', ...error(recorded, `${name} ${digest}`, detail) }];
  });

interface LocatedDigest extends Location {
  readonly algorithm: 'sha256' | 'md5';
  readonly digest: string;
  /** the release or build it belongs to: `8.4.25`, `8.4.25RC1` */
  readonly owner: string;
  /** the file; of a retired build its version */
  readonly name: string;
}

/** Every digest on record, oldest first: retired builds, releases, then the builds on offer. */
const digests = (catalogue: Catalogue): LocatedDigest[] => [
  ...retiredDigests(catalogue),
  ...releaseDigests(catalogue),
  ...buildDigests(catalogue),
];

const releaseDigests = (catalogue: Catalogue): LocatedDigest[] =>
  locatedReleases(catalogue)
    .reverse()
    .flatMap(locatedFilesOf)
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

const buildDigests = (catalogue: Catalogue): LocatedDigest[] =>
  locatedSlots(catalogue).flatMap(({ file, pointer, slot }) =>
    COMPRESSIONS.flatMap((archive) => {
      const digest = digestOf(slot.release, archive);
      // An empty digest says "none"; another rule checks that an active build has all three.
      if (!digest) return [];
      const owner = buildVersion(slot);
      return [
        {
          file,
          pointer: `${pointer}/release/sha256_${archive}`,
          algorithm: 'sha256' as const,
          digest,
          owner,
          name: tarballName(catalogue.product, owner, archive),
        },
      ];
    }),
  );

const retiredDigests = (catalogue: Catalogue): LocatedDigest[] =>
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
