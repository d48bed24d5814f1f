import { join } from 'node:path';
import { pythonProgram } from '@workspace/service-kit/testing';
import { WORKSPACE } from './workspace.ts';

/** The Python of the tests' own environment, with the clients from PyPI. */
export const pythonWithClients = (): Promise<string> =>
  pythonProgram(
    { folder: join(WORKSPACE, '.cache/ip-locate-python'), packages: ['ipyapi==0.2.0', 'ipapi==1.0.4'] },
    'python',
  );
