import { pythonProgram } from '@workspace/testing';

/** The Python of an environment with the clients from PyPI. */
export const pythonWithClients = (): Promise<string> => pythonProgram('python', 'ipapi-clients');
