import type { ProductFile } from '../schemas/index.ts';

/** The archives every release and build comes in, in the order in which php.net lists those of a release. */
export const COMPRESSIONS = ['gz', 'bz2', 'xz'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

/** `php-8.4.25.tar.xz`: how product.json says that an archive is called. */
export const tarballName = (
  { downloads }: Pick<ProductFile, 'downloads'>,
  version: string,
  archive: Compression,
): string => downloads.filename.replaceAll('{version}', version).replaceAll('{archive}', archive);

/** The names of all archives of a release or build. */
export const tarballNames = (product: Pick<ProductFile, 'downloads'>, version: string): string[] =>
  COMPRESSIONS.map((archive) => tarballName(product, version, archive));
