import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Editors end a file with a line break, which belongs to no secret. */
const secretIn = (text: string): string => text.replace(/[\r\n]+$/, '');

/** Without the path, in the place of which someone may have put the secret. */
const withoutPath = (variable: string, error: unknown): Error =>
  new Error(`${variable}: ${(error as Error).message.split(',')[0]}`);

/** @throws why the file cannot be read, without its path */
export const readSecretFile = (variable: string, path: string): string => {
  try {
    return secretIn(readFileSync(path, 'utf8'));
  } catch (error) {
    throw withoutPath(variable, error);
  }
};

/**
 * A secret of a configuration as it is now: one that is in a file is read again, so that it can be replaced while the service runs.
 * @returns undefined when neither the variable nor its file is set
 * @throws why the file cannot be read, without its path
 */
export const currentSecret = async <Name extends string>(
  config: { readonly [K in Name]?: string },
  name: Name,
): Promise<string | undefined> => {
  const variable = `${name}_FILE`;
  const path = (config as Readonly<Record<string, string | undefined>>)[variable];
  if (path === undefined) return config[name];
  return readFile(path, 'utf8').then(secretIn, (error: unknown) => {
    throw withoutPath(variable, error);
  });
};
