import { hash } from 'node:crypto';
import { type Key, MetaFile, Metadata, Root, Snapshot, Targets, Timestamp } from '@tufjs/models';
import { CommandRejected } from '../terminal.ts';
import { type Repository, ROLES, type Role, SPEC_VERSION, textOf } from './repository.ts';
import { targetFiles } from './targets.ts';

export const DAY_MS = 86_400_000;

/** Days after which metadata expires unless told otherwise: a mirror that stands still is noticed after two days. */
export const DEFAULT_DAYS: Readonly<Record<Role, number>> = {
  root: 365,
  targets: 90,
  snapshot: 7,
  timestamp: 2,
};

export interface Expiry {
  readonly now: Date;
  readonly days: number;
}

const common = (version: number, { now, days }: Expiry) => ({
  version,
  specVersion: SPEC_VERSION,
  expires: `${new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 19)}Z`,
});

export interface RootEdit {
  readonly add: readonly (readonly [Role, Key])[];
  readonly remove: readonly (readonly [Role, string])[];
  readonly thresholds: ReadonlyMap<Role, number>;
}

/** A root after the newest one, with other keys or only a later expiry. @throws CommandRejected when a role lacks keys */
export const nextRoot = (
  before: Metadata<Root> | undefined,
  edit: RootEdit,
  expiry: Expiry,
): Metadata<Root> => {
  const roles = Object.fromEntries(
    ROLES.map((role) => {
      const old = before?.signed.roles[role];
      const removed = edit.remove.filter(([of]) => of === role).map(([, id]) => id);
      const unknown = removed.find((id) => !old?.keyIDs.some((one) => one.startsWith(id)));
      if (unknown !== undefined) throw new CommandRejected(`The role ${role} has no key ${unknown}.`);
      const keyIDs = [
        ...(old?.keyIDs ?? []).filter((id) => !removed.some((start) => id.startsWith(start))),
        ...edit.add.filter(([of]) => of === role).map(([, { keyID }]) => keyID),
      ];
      const threshold = edit.thresholds.get(role) ?? old?.threshold ?? (role === 'root' ? 2 : 1);
      const unique = [...new Set(keyIDs)];
      if (unique.length < threshold)
        throw new CommandRejected(`The role ${role} has ${unique.length} keys and needs ${threshold}.`);
      return [role, { keyids: unique, threshold }] as const;
    }),
  );
  const known = new Map([
    ...Object.entries(before?.signed.keys ?? {}),
    ...edit.add.map(([, key]) => [key.keyID, key] as const),
  ]);
  const used = new Set(Object.values(roles).flatMap(({ keyids }) => keyids));
  const { version, specVersion, expires } = common((before?.signed.version ?? 0) + 1, expiry);
  // From JSON: the package does not export its class of roles.
  const root = Root.fromJSON({
    _type: 'root',
    version,
    spec_version: specVersion,
    expires,
    consistent_snapshot: true,
    roles,
    keys: Object.fromEntries(
      [...known].filter(([id]) => used.has(id)).map(([id, key]) => [id, key.toJSON()]),
    ),
  });
  return new Metadata(root);
};

/** A list of what is signed of an export, after the newest one. */
export const nextTargets = async (
  repository: Repository,
  exported: string,
  expiry: Expiry,
): Promise<Metadata<Targets>> => {
  const version = ((await repository.newest('targets'))?.signed.version ?? 0) + 1;
  return new Metadata(new Targets({ ...common(version, expiry), targets: await targetFiles(exported) }));
};

/** A snapshot of the newest targets. */
export const nextSnapshot = async (repository: Repository, expiry: Expiry): Promise<Metadata<Snapshot>> => {
  const bytes = await repository.newestBytes('targets');
  const targets = await repository.newest('targets');
  if (!bytes || !targets) throw new CommandRejected('There are no signed targets yet.');
  const version = ((await repository.newest('snapshot'))?.signed.version ?? 0) + 1;
  const meta = { 'targets.json': metaFile(bytes, targets.signed.version) };
  return new Metadata(new Snapshot({ ...common(version, expiry), meta }));
};

/** A timestamp of the snapshot that is published next, if there is one, or of the newest. */
export const nextTimestamp = async (
  repository: Repository,
  expiry: Expiry,
  next?: Metadata<Snapshot>,
): Promise<Metadata<Timestamp>> => {
  const bytes = next ? Buffer.from(textOf(next)) : await repository.newestBytes('snapshot');
  const snapshot = next ?? (await repository.newest('snapshot'));
  if (!bytes || !snapshot) throw new CommandRejected('There is no snapshot yet.');
  const version = ((await repository.newest('timestamp'))?.signed.version ?? 0) + 1;
  const snapshotMeta = metaFile(bytes, snapshot.signed.version);
  return new Metadata(new Timestamp({ ...common(version, expiry), snapshotMeta }));
};

/** Length and digest, so that no client reads an endless file. */
const metaFile = (bytes: Buffer, version: number): MetaFile =>
  new MetaFile({
    version,
    length: bytes.length,
    hashes: { sha256: hash('sha256', bytes) },
  });
