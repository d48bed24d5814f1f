import { folderSignature, loadDataFolder } from '@workspace/release-catalogue';
import type { ReleaseCatalogue } from '../../application/release-catalogue.ts';

/** The facts in a folder of JSON files. */
export const releaseFolder = (folder: string): ReleaseCatalogue => ({
  source: folder,
  signature: () => folderSignature(folder),
  load: (moment) => loadDataFolder(folder, moment),
});
