import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareVersions } from '../facts/version.ts';
import type { Compression } from '../facts/tarball-name.ts';
import { shapedCatalogue } from '../files/read-catalogue.ts';
import { FROZEN_FOLDER } from './edited-catalogue.ts';
import { type PhpTables, phpTables } from './php-tables.ts';
import { tarball } from './tarball.ts';

/** A copy of the frozen data in a folder of its own, with a place for archives beside it. */
export class DataCopy {
  readonly root = mkdtempSync(join(tmpdir(), 'release-data-'));
  readonly folder = join(this.root, 'data');
  readonly archives = join(this.root, 'archives');

  /** @param oldest branch that is copied, all when left out: commands take three times as long as with those from 7.4 on */
  constructor(oldest = '') {
    cpSync(FROZEN_FOLDER, this.folder, { recursive: true });
    for (const name of readdirSync(join(this.folder, 'branches'))) {
      if (compareVersions(name.replace('.json', ''), oldest) < 0) rmSync(join(this.folder, 'branches', name));
    }
    mkdirSync(this.archives);
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }

  /** Every data file's text, and any other file. */
  texts(): Record<string, string> {
    const names = readdirSync(this.folder, { recursive: true, withFileTypes: true });
    return Object.fromEntries(
      names
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
        .map((path) => [path.slice(this.folder.length + 1), readFileSync(path, 'utf8')]),
    );
  }

  json(file: string) {
    return JSON.parse(readFileSync(join(this.folder, file), 'utf8'));
  }

  /** The tables of php.net that have the same facts. */
  phpTables(): PhpTables {
    return phpTables(shapedCatalogue(new Map(Object.entries(this.texts()))));
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  /** Puts three archives of a version on the disk. @returns their digests by ending */
  pack(version: string, content = version): Record<'gz' | 'bz2' | 'xz', string> {
    const digest = (archive: Compression) => {
      const bytes = tarball(archive, `${content} as ${archive}\n`.repeat(1000), `php-${version}/README`);
      writeFileSync(join(this.archives, `php-${version}.tar.${archive}`), bytes);
      return createHash('sha256').update(bytes).digest('hex');
    };
    return { gz: digest('gz'), bz2: digest('bz2'), xz: digest('xz') };
  }

  /** A manifest as sha256sum writes it. @returns its path */
  manifest(version: string, digests: Record<string, string>): string {
    const path = join(this.archives, `${version}.sha256`);
    const lines = Object.entries(digests).map(([archive, hex]) => `${hex}  php-${version}.tar.${archive}\n`);
    writeFileSync(path, lines.join(''));
    return path;
  }
}
