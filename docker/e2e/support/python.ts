import { pythonProgram as programOf } from '@workspace/testing';

/** A program of an environment with CycloneDX's own schema. */
export const pythonProgram = (name: string): Promise<string> => programOf(name, 'cyclonedx');
