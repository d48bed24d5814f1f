import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A disk of its own, small enough to be filled. */
export interface SmallDisk {
  /** Writes a file until not a byte more fits, but for `leave` bytes. */
  fill(leave?: number): void;
  /** Removes the file again. */
  relieve(): void;
  readonly freeBytes: () => number;
  remove(): void;
}

const CHUNK = 64 * 1024;

/** Makes an ext4 file system in a file and mounts it on the folder. Needs root. */
export const mountSmallDisk = (folder: string, bytes: number): SmallDisk => {
  const image = `${folder}.image`;
  const ballast = join(folder, 'ballast');
  closeSync(openSync(image, 'w'));
  truncateSync(image, bytes);
  execFileSync('mkfs.ext4', ['-q', '-m', '0', image]);
  execFileSync('mount', ['-o', 'loop', image, folder]);
  rmSync(join(folder, 'lost+found'), { recursive: true });
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  return {
    freeBytes,
    fill: (leave = 0) => {
      const file = openSync(ballast, 'a');
      try {
        for (let size = CHUNK; size >= 512;) {
          if (leave > 0 && freeBytes() <= leave) return;
          try {
            writeSync(file, Buffer.alloc(size));
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
            size /= 2;
          }
        }
      } finally {
        closeSync(file);
      }
    },
    relieve: () => rmSync(ballast),
    remove: () => {
      execFileSync('umount', [folder]);
      rmSync(image);
    },
  };
};
