import { readFile } from 'node:fs/promises';

/** Reads a text file in UTF-8 or, with a byte order mark as PowerShell writes it, in UTF-16; without the mark. */
export const readText = async (path: string): Promise<string> => {
  const bytes = await readFile(path);
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' }[bytes.toString('hex', 0, 2)] ?? 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
};
