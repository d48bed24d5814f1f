import { copyFile, link, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type Key,
  Metadata,
  MetadataKind,
  type Root,
  Signature,
  type Snapshot,
  type Targets,
  type Timestamp,
} from '@tufjs/models';
import { exclusively } from '@workspace/file-lock';
import { CommandRejected } from '../terminal.ts';
import type { Sign } from './keys.ts';
import { replaceFile, syncToDisk } from '@workspace/release-catalogue';

export const writeInOneStep = async (path: string, content: string | Buffer): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, content);
};

/** A second name for a file, or a copy on another file system. An export never writes into a file that is there. */
export const linkOrCopy = async (from: string, to: string): Promise<void> => {
  await mkdir(dirname(to), { recursive: true });
  await rm(`${to}.new`, { force: true });
  try {
    await link(from, `${to}.new`);
  } catch {
    await copyFile(from, `${to}.new`);
  }
  // The export, whose file it may be, has not waited for the disk.
  await syncToDisk(`${to}.new`);
  await rename(`${to}.new`, to);
  await syncToDisk(dirname(to));
};

export const ROLES = ['root', 'targets', 'snapshot', 'timestamp'] as const;
export type Role = (typeof ROLES)[number];

/** The roles whose older versions stay beside the newest. */
export type VersionedRole = Exclude<Role, 'timestamp'>;

/** The metadata that people sign one after the other, before it is published. */
export const STAGED_ROLES = ['root', 'targets'] as const;
export type StagedRole = (typeof STAGED_ROLES)[number];

export interface MetadataOf {
  root: Metadata<Root>;
  targets: Metadata<Targets>;
  snapshot: Metadata<Snapshot>;
  timestamp: Metadata<Timestamp>;
}

export const SPEC_VERSION = '1.0.31';

/** The files of a TUF repository with consistent snapshots, and beside them what waits for signatures. */
export class Repository {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Runs a task that changes files while no other process changes them. */
  exclusively<T>(task: () => Promise<T>): Promise<T> {
    return exclusively(join(this.folder, 'lock'), task);
  }

  /** The newest published metadata; undefined: none. */
  async newest<R extends Role>(role: R): Promise<MetadataOf[R] | undefined> {
    const bytes = await this.newestBytes(role);
    return bytes && parse(role, bytes);
  }

  async newestBytes(role: Role): Promise<Buffer | undefined> {
    if (role !== 'timestamp') {
      const version = (await this.versions(role)).at(-1);
      return version === undefined ? undefined : readFile(this.metadataFile(role, version));
    }
    const names = await namesIn(join(this.folder, 'metadata'));
    return names.includes('timestamp.json') ? readFile(this.metadataFile(role, 0)) : undefined;
  }

  /** The published versions that are still there, ascending. */
  async versions(role: VersionedRole): Promise<number[]> {
    const names = await namesIn(join(this.folder, 'metadata'));
    return names
      .flatMap((name) => (name.endsWith(`.${role}.json`) ? [Number.parseInt(name, 10)] : []))
      .sort((a, b) => a - b);
  }

  async read<R extends VersionedRole>(role: R, version: number): Promise<MetadataOf[R]> {
    return parse(role, await readFile(this.metadataFile(role, version)));
  }

  metadataFile(role: Role, version: number): string {
    const name = role === 'timestamp' ? 'timestamp.json' : `${version}.${role}.json`;
    return join(this.folder, 'metadata', name);
  }

  /** The newest root. @throws CommandRejected without one */
  async root(): Promise<Metadata<Root>> {
    const root = await this.newest('root');
    if (root) return root;
    throw new CommandRejected(`${this.folder} has no root yet: make one with \`tuf root\` and sign it.`);
  }

  async publish(role: Role, metadata: Metadata<Root | Targets | Snapshot | Timestamp>): Promise<void> {
    await writeInOneStep(this.metadataFile(role, metadata.signed.version), textOf(metadata));
  }

  stagedFile(role: StagedRole): string {
    return join(this.folder, 'staged', `${role}.json`);
  }

  async staged<R extends StagedRole>(role: R): Promise<MetadataOf[R] | undefined> {
    const names = await namesIn(join(this.folder, 'staged'));
    return names.includes(`${role}.json`) ? parse(role, await readFile(this.stagedFile(role))) : undefined;
  }

  async stage(role: StagedRole, metadata: Metadata<Root | Targets>): Promise<void> {
    await writeInOneStep(this.stagedFile(role), textOf(metadata));
  }
}

/** Metadata as its file has it. */
export const textOf = (metadata: Metadata<Root | Targets | Snapshot | Timestamp>): string =>
  `${JSON.stringify(metadata.toJSON(), null, 1)}\n`;

const parse = <R extends Role>(role: R, bytes: Buffer): MetadataOf[R] => {
  const json = JSON.parse(bytes.toString()) as Parameters<typeof Metadata.fromJSON>[1];
  const kinds = {
    root: () => Metadata.fromJSON(MetadataKind.Root, json),
    targets: () => Metadata.fromJSON(MetadataKind.Targets, json),
    snapshot: () => Metadata.fromJSON(MetadataKind.Snapshot, json),
    timestamp: () => Metadata.fromJSON(MetadataKind.Timestamp, json),
  };
  return kinds[role]() as MetadataOf[R];
};

/** Empty when there is no such folder. */
const namesIn = async (folder: string): Promise<string[]> => {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};

/** The keys of a role. */
export const keysOf = ({ signed }: Metadata<Root>, role: Role): Key[] =>
  signed.roles[role]!.keyIDs.flatMap((id) => signed.keys[id] ?? []);

/**
 * Adds a signature under the key of a role that made it.
 * @param roots whose keys may sign: for a new root, those of the root before it, too
 * @returns the key
 * @throws CommandRejected when no key of the role made it
 */
export const addSignature = (
  metadata: Metadata<Root | Targets | Snapshot | Timestamp>,
  role: Role,
  roots: readonly Metadata<Root>[],
  sign: Sign,
): Key => {
  let signature = '';
  metadata.sign((bytes) => {
    signature = sign(bytes).toString('hex');
    return new Signature({ keyID: 'unknown', sig: signature });
  });
  delete metadata.signatures['unknown'];
  const signer = roots
    .flatMap((root) => keysOf(root, role))
    .find((key) => addIfValid(metadata, key, signature));
  if (signer) return signer;
  throw new CommandRejected(`No key of the role ${role} made this signature.`);
};

/**
 * Adds the signatures of a copy that was signed elsewhere, as far as keys of a role made them.
 * @param roots as for `addSignature`
 * @returns the keys
 * @throws CommandRejected when there is no such signature, or what is staged is something else
 */
export const addSignaturesOf = async (
  metadata: Metadata<Root | Targets>,
  role: StagedRole,
  roots: readonly Metadata<Root>[],
  copy: string,
): Promise<Key[]> => {
  const { signatures } = await readMetadata(role, copy);
  const keys = new Map(roots.flatMap((root) => keysOf(root, role)).map((key) => [key.keyID, key]));
  const added = [...keys.values()].filter((key) => {
    const signature = signatures[key.keyID];
    return signature && addIfValid(metadata, key, signature.sig);
  });
  if (added.length > 0) return added;
  throw new CommandRejected(`${copy} has no signature of what is staged by a key of the role ${role}.`);
};

const readMetadata = async (role: StagedRole, file: string): Promise<Metadata<Root> | Metadata<Targets>> => {
  const bytes = await readFile(file);
  try {
    return parse(role, bytes);
  } catch (error) {
    throw new CommandRejected(`${file} is not metadata of the role ${role}: ${(error as Error).message}`);
  }
};

/** Adds a signature under a key that made it. */
const addIfValid = (
  metadata: Metadata<Root | Targets | Snapshot | Timestamp>,
  key: Key,
  sig: string,
): boolean => {
  const before = metadata.signatures[key.keyID];
  metadata.signatures[key.keyID] = new Signature({ keyID: key.keyID, sig });
  if (isSignedBy(metadata, key)) return true;
  if (before) metadata.signatures[key.keyID] = before;
  else delete metadata.signatures[key.keyID];
  return false;
};

const isSignedBy = (metadata: Metadata<Root | Targets | Snapshot | Timestamp>, key: Key): boolean => {
  try {
    key.verifySignature(metadata);
    return true;
  } catch {
    return false;
  }
};

/** How many signatures are still missing, by the keys of one root. */
export const missingSignatures = (
  root: Metadata<Root>,
  role: Role,
  metadata: Metadata<Root | Targets | Snapshot | Timestamp>,
): number => {
  const valid = keysOf(root, role).filter(
    (key) => key.keyID in metadata.signatures && isSignedBy(metadata, key),
  );
  return Math.max(0, root.signed.roles[role]!.threshold - valid.length);
};
