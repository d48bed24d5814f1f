/** The file of an export that answers a path. @param path one that `import` reads */
export const exportedFile = (path: string): string => `site/${path.replace('?', ',').replaceAll('&', ',')}`;

const IMPORTED =
  /^site\/(?:releases\/index\.php,json(?:,version=\d+,max=-1)?|releases\/active\.php|pre-release-builds\.php,format=json)$/;

/** Whether `import` reads this file of an export. */
export const isImported = (file: string): boolean => IMPORTED.test(file);
