/** A path that has members: a folder in an export. */
const SECURITY = 'api/v1/security';

/** The file of an export that answers a path. @param path one that `import` reads */
export const exportedFile = (path: string): string =>
  `site/${path === SECURITY ? `${path}/index.json` : path.replace('?', ',').replaceAll('&', ',')}`;

const IMPORTED =
  /^site\/(?:releases\/index\.php,json(?:,version=\d+,max=-1)?|releases\/(?:active|branches)\.php|api\/v1\/security\/index\.json|pre-release-builds\.php,format=json)$/;

/** Whether `import` reads this file of an export. */
export const isImported = (file: string): boolean => IMPORTED.test(file);
