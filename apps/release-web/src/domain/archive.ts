import type { ProductFile } from '../data/index.ts';

/** The archives every release and build comes in, in the order in which php.net lists those of a release. */
export const ARCHIVES = ['gz', 'bz2', 'xz'] as const;
export type Archive = (typeof ARCHIVES)[number];

/** `php-8.4.25.tar.xz`: how product.json says that an archive is called. */
export const archiveName = (
  { downloads }: Pick<ProductFile, 'downloads'>,
  version: string,
  archive: Archive,
): string => downloads.filename.replaceAll('{version}', version).replaceAll('{archive}', archive);

/** The names of all archives of a release or build. */
export const archiveNames = (product: Pick<ProductFile, 'downloads'>, version: string): string[] =>
  ARCHIVES.map((archive) => archiveName(product, version, archive));
