import { COMPRESSIONS, tarballName } from '../facts/tarball-name.ts';
import type { Catalogue } from '../facts/catalogue.ts';
import type { Violation } from './rule.ts';
import { buildVersion, digestOf } from '../facts/pre-release-build.ts';
import { error, locatedFilesOf, locatedReleases, locatedSlots, type Location } from './location.ts';

/** A file on record with the SHA-256 it should have. */
export interface RecordedFile extends Location {
  readonly name: string;
  readonly sha256: string;
}

export const recordedFiles = (catalogue: Catalogue): RecordedFile[] => [
  ...locatedReleases(catalogue)
    .flatMap(locatedFilesOf)
    .flatMap(({ file, pointer, artefact }) =>
      artefact.sha256 === undefined
        ? []
        : [{ file, pointer: `${pointer}/sha256`, name: artefact.filename, sha256: artefact.sha256 }],
    ),
  ...locatedSlots(catalogue).flatMap(({ file, pointer, slot }) =>
    COMPRESSIONS.flatMap((archive) => {
      const sha256 = digestOf(slot.release, archive);
      if (!sha256) return [];
      const name = tarballName(catalogue.product, buildVersion(slot), archive);
      return [{ file, pointer: `${pointer}/release/sha256_${archive}`, name, sha256 }];
    }),
  ),
];

/** Files whose digest is another than the recorded one: 7.4.0 and 8.1.16 had those of another build. */
export const digestsOnDisk = (catalogue: Catalogue, found: ReadonlyMap<string, string>): Violation[] =>
  recordedFiles(catalogue).flatMap((recorded) => {
    const { name, sha256 } = recorded;
    const digest = found.get(name) ?? sha256;
    const detail = `${name} is on record with ${sha256}, the file is ${digest}`;
    return digest === sha256
      ? []
      : [{ rule: 'hash-on-disk', ...error(recorded, `${name} ${sha256}`, detail) }];
  });
