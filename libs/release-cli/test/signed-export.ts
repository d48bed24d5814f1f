import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes the files of an export, as far as they are signed, and the digests of all. */
export const writeExport = (folder: string, files: Readonly<Record<string, string>>): void => {
  // An export writes new files: the repository may have the old ones under other names.
  rmSync(folder, { recursive: true, force: true });
  const lines = Object.entries(files).map(([path, content]) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    return `${createHash('sha256').update(content).digest('hex')}  ${path}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
};
