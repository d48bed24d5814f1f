import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COMPRESSIONS, type Digests } from '@workspace/release-catalogue';
import { checkTarball, DamagedTarball } from './tarball-check.ts';
import { CommandRejected, rejection, type Terminal, UsageError } from './terminal.ts';

/** Reads a text file in UTF-8 or, with a byte order mark as PowerShell writes it, in UTF-16; without the mark. */
export const readText = async (path: string): Promise<string> => {
  const bytes = await readFile(path);
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' }[bytes.toString('hex', 0, 2)] ?? 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
};

/** Where digests come from. They are never typed: 7.4.0 and 8.1.16 were published with those of another build. */
export const DIGEST_OPTIONS = { manifest: { type: 'string' }, tarballs: { type: 'string' } } as const;
export const DIGEST_USAGE = `  --manifest <file>     digests from a list made by sha256sum (or its BSD form)
  --tarballs <folder>   digests of the files themselves; with --manifest, both have to agree`;

export interface DigestSources {
  readonly manifest?: string | undefined;
  readonly tarballs?: string | undefined;
}

/** The digests of files and, where the files are at hand, their sizes in bytes. */
export interface ReadDigests {
  readonly digests: Digests;
  readonly sizes?: Record<string, number>;
}

/**
 * The digests of the named files.
 * @throws UsageError when no source is given; CommandRejected when a file is missing or the sources disagree
 */
export const readDigests = async (
  { manifest, tarballs }: DigestSources,
  names: readonly string[],
  terminal: Terminal,
): Promise<ReadDigests> => {
  if (manifest === undefined && tarballs === undefined) {
    throw new UsageError('Digests are never typed in: use --manifest, --tarballs or both.');
  }
  const listed =
    manifest === undefined ? undefined : parseManifest(await readText(manifest).catch(unreadable(manifest)));
  const hashed = tarballs === undefined ? undefined : await hashFiles(tarballs, names, terminal, true);
  const digests = new Map(
    names.map((name) => {
      const [listedDigest, found] = [listed?.get(name), hashed?.get(name)?.sha256];
      if (listed && listedDigest === undefined)
        throw new CommandRejected(
          `${manifest} does not list ${name}; it lists ${[...listed.keys()].join(', ') || 'nothing'}.`,
        );
      if (listedDigest !== undefined && found !== undefined && listedDigest !== found) {
        throw new CommandRejected(`${name}: ${manifest} says ${listedDigest}, the file is ${found}.`);
      }
      return [name, (listedDigest ?? found)!];
    }),
  );
  return {
    digests,
    ...(hashed && { sizes: Object.fromEntries([...hashed].map(([name, { size }]) => [name, size])) }),
  };
};

/**
 * Reads a manifest: `<hex>  <file>` lines as of sha256sum, `SHA256 (<file>) = <hex>` as of BSD and OpenSSL. Empty lines and
 * comments (#) are skipped, as is white space around a line; any other line is an error, because a half-read manifest is worse
 * than none.
 */
export const parseManifest = (content: string): Digests => {
  const digests = new Map<string, string>();
  content.split(/\r\n|\r|\n/).forEach((text, index) => {
    // JavaScript takes a byte order mark and no-break spaces for white space, too.
    const line = text.trim();
    if (line === '' || line.startsWith('#')) return;
    const gnu = /^([0-9a-f]{64})\s+\*?(.+)$/i.exec(line);
    const bsd = /^SHA(?:2-)?256\s*\((.+)\)\s*=\s*([0-9a-f]{64})$/i.exec(line);
    const [path, digest] = gnu ? [gnu[2]!, gnu[1]!] : bsd ? [bsd[1]!, bsd[2]!] : [];
    if (path === undefined || digest === undefined) {
      throw new CommandRejected(`Line ${index + 1} of the manifest is not a SHA-256 line: "${line}"`);
    }
    const name = path.split(/[\\/]/).at(-1)!;
    const hex = digest.toLowerCase();
    if ((digests.get(name) ?? hex) !== hex) throw new CommandRejected(`The manifest lists ${name} twice.`);
    digests.set(name, hex);
  });
  return digests;
};

/** Digests of the files in a folder that are among `names`. */
export const hashPresentFiles = async (
  folder: string,
  names: ReadonlySet<string>,
  terminal: Terminal,
): Promise<Digests> => {
  const present = (await entries(folder)).filter((name) => names.has(name));
  const hashed = await hashFiles(folder, present, terminal);
  return new Map([...hashed].map(([name, { sha256 }]) => [name, sha256]));
};

/** @param isNew its tarballs hold the folder of their version; that of an old one may have another name */
const hashFiles = async (
  folder: string,
  names: readonly string[],
  terminal: Terminal,
  isNew = false,
): Promise<ReadonlyMap<string, HashedFile>> => {
  const present = new Set(await entries(folder));
  const missing = names.filter((name) => !present.has(name));
  if (missing.length > 0) throw new CommandRejected(`${folder} does not hold ${missing.join(', ')}.`);
  const hashed = new Map<string, HashedFile>();
  for (const name of names) hashed.set(name, await hashFile(join(folder, name), name, terminal, isNew));
  return hashed;
};

interface HashedFile {
  readonly sha256: string;
  /** in bytes */
  readonly size: number;
}

const hashFile = async (
  path: string,
  name: string,
  terminal: Terminal,
  isNew: boolean,
): Promise<HashedFile> => {
  const compression = COMPRESSIONS.find((known) => name.endsWith(`.${known}`));
  try {
    const { sha256, size } = await (compression
      ? checkTarball(path, compression, isNew ? topFolder(name) : undefined, (read, whole) =>
          terminal.progress?.(`${name} ${Math.floor((100 * read) / whole)} %`),
        )
      : plainDigest(path));
    terminal.progress?.('');
    terminal.note(`sha256 ${sha256} ${name} (${size} bytes)`);
    return { sha256, size };
  } catch (error) {
    terminal.progress?.('');
    if (error instanceof DamagedTarball) throw new CommandRejected(`${path} ${error.message}.`);
    throw error;
  }
};

/** `php-8.4.25.tar.xz` → `php-8.4.25`. */
const topFolder = (name: string): string => name.replace(/(\.tar)?\.[^.]+$/, '');

/** For the files that are not tarballs: those for Windows. */
const plainDigest = async (path: string): Promise<HashedFile> => {
  const bytes = await readFile(path);
  return { sha256: hash('sha256', bytes), size: bytes.length };
};

const unreadable = (path: string) => rejection((why) => `${path} cannot be read: ${why}`);

const entries = (folder: string): Promise<string[]> => readdir(folder).catch(unreadable(folder));
