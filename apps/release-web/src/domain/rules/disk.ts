import { ARCHIVES, archiveName } from '../archive.ts';
import type { Catalogue } from '../catalogue.ts';
import type { Finding } from '../finding.ts';
import { buildVersion, digestOf } from '../pre-release-build.ts';
import { error, filePlacesOf, type Place, releasePlaces, slotPlaces } from './place.ts';

/** A file on record with the SHA-256 it should have. */
export interface RecordedFile extends Place {
  readonly name: string;
  readonly sha256: string;
}

export const recordedFiles = (catalogue: Catalogue): RecordedFile[] => [
  ...releasePlaces(catalogue)
    .flatMap(filePlacesOf)
    .flatMap(({ file, pointer, artefact }) =>
      artefact.sha256 === undefined
        ? []
        : [{ file, pointer: `${pointer}/sha256`, name: artefact.filename, sha256: artefact.sha256 }],
    ),
  ...slotPlaces(catalogue).flatMap(({ file, pointer, slot }) =>
    ARCHIVES.flatMap((archive) => {
      const sha256 = digestOf(slot.release, archive);
      if (!sha256) return [];
      const name = archiveName(catalogue.product, buildVersion(slot), archive);
      return [{ file, pointer: `${pointer}/release/sha256_${archive}`, name, sha256 }];
    }),
  ),
];

/** Files whose digest is another than the recorded one: 7.4.0 and 8.1.16 had those of another build. */
export const digestsOnDisk = (catalogue: Catalogue, found: ReadonlyMap<string, string>): Finding[] =>
  recordedFiles(catalogue).flatMap((recorded) => {
    const digest = found.get(recorded.name);
    return digest === undefined || digest === recorded.sha256
      ? []
      : [
          error(
            'hash-on-disk',
            recorded,
            `${recorded.name} ${recorded.sha256}`,
            `${recorded.name} is on record with ${recorded.sha256}, the file is ${digest}`,
          ),
        ];
  });
