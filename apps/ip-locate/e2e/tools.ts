import { pythonProgram } from '@workspace/testing';

/** The Python of an environment with the clients from PyPI. */
export const pythonWithClients = (): Promise<string> =>
  pythonProgram('python', ['ipyapi==0.2.0', 'ipapi==1.0.4']);
