const MEDIA_TYPES: Readonly<Record<string, string>> = {
  gz: 'application/gzip',
  bz2: 'application/x-bzip2',
  xz: 'application/x-xz',
  zip: 'application/zip',
};

/** The media type of a file by the end of its name. */
export const mediaType = (filename: string): string =>
  MEDIA_TYPES[filename.slice(filename.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
