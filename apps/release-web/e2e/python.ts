import { join } from 'node:path';
import { pythonProgram as programOf } from '@workspace/service-kit/testing';
import { workspace } from './service.ts';

/** A program of the tests' own Python environment. */
export const pythonProgram = (name: string): Promise<string> =>
  programOf(
    {
      folder: join(workspace(), '.cache/release-web-python'),
      packages: ['feedparser==6.0.14', 'schemathesis==4.32.5'],
    },
    name,
  );
