import { open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A data file as text: two spaces, members in the order given, a newline at the end. */
export const dataFileText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * Replaces a file in one step: after a crash at any moment it holds the old or the new text, whole.
 * The new text reaches the disk under another name first, then takes the name over.
 */
export const writeDataFile = async (path: string, value: unknown): Promise<void> => {
  const temporary = `${path}.${process.pid}.new`;
  try {
    await using file = await open(temporary, 'w');
    await file.writeFile(dataFileText(value));
    await file.sync();
  } catch (error) {
    await unlink(temporary);
    throw error;
  }
  await rename(temporary, path);
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
};
