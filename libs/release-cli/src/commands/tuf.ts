import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import type { Metadata, Root, Targets } from '@tufjs/models';
import { required } from '../arguments.ts';
import { tufFetcher } from '../import/tuf-reader.ts';
import { DAY_MS, DEFAULT_DAYS, nextRoot, nextSnapshot, nextTargets, nextTimestamp } from '../tuf/edits.ts';
import { linkTargets, prune, requireTargets } from '../tuf/targets.ts';
import { publicKeyOf } from '../tuf/keys.ts';
import {
  addSignature,
  addSignaturesOf,
  keysOf,
  missingSignatures,
  Repository,
  type Role,
  ROLES,
  STAGED_ROLES,
  type StagedRole,
} from '../tuf/repository.ts';
import { type CliContext, type Command, CommandRejected, UsageError } from '../terminal.ts';
import {
  countOf,
  daysOf,
  expiryOf,
  keyIdOf,
  OPTIONS,
  parse,
  roleAnd,
  signOf,
  type Values,
} from './tuf-arguments.ts';

interface Step {
  readonly repository: Repository;
  readonly values: Values;
  /** after the repository: the role for `sign`, the file for `fetch` */
  readonly subject: string | undefined;
  readonly context: CliContext;
}

/** Signs exports as a TUF repository. */
export const tufCommand: Command = {
  summary: 'sign an export as a TUF repository, renew and rotate its keys',
  usage: `usage: tuf root <repository> [--add ROLE=KEY]… [--remove ROLE=KEY]… [--threshold ROLE=NUMBER]…
       tuf targets <repository> --export <folder>
       tuf sign <repository> root|targets --key <file> | --sign-with <command> | --signed <file>
       tuf publish <repository> --key <file> | --sign-with <command>
       tuf status <repository> [--within <days>]
       tuf fetch <URL> <file> --root <file> --state <folder>
  root                  stages a new root; without changes it only expires later
  targets               stages the digests of the files of an export
  sign                  adds a signature to what is staged, and publishes it when there are enough
  publish               signs a snapshot, when there is something new, and a timestamp; removes what is too old for any client
  status                shows versions, when they expire and which signatures are missing
  fetch                 fetches a file of an export as it was signed, and shows the path of the copy
  --add ROLE=KEY        a key for root, targets, snapshot or timestamp: a public key in PEM
  --remove ROLE=KEY     takes a key away: the key, or the beginning of its id as \`status\` shows it
  --threshold ROLE=N    how many keys have to sign; default: 2 for root, else 1
  --key <file>          a private key in PEM: Ed25519, or ECDSA on P-256
  --sign-with <command>
                        reads the bytes to sign and writes the signature; no private key is read here
  --signed <file>       a copy of what is staged that was signed on another machine: its signatures are added
  --expires-in <days>   default: root ${DEFAULT_DAYS.root}, targets ${DEFAULT_DAYS.targets}, snapshot ${DEFAULT_DAYS.snapshot}, timestamp ${DEFAULT_DAYS.timestamp}
  --within <days>       what expires so soon is reported; default: 1
  --root <file>         the root as you got it from a person
  --state <folder>      for copies and for what was seen, so that older files are rejected
Exit codes: 0 done; 1 rejected and nothing was published, or \`status\` found something to do; 2 wrong command line.`,
  options: Object.keys(OPTIONS),
  afterFailure: 'The command did not complete: run it again.',
  example: 'tuf sign mirror/tuf targets --key manager.pem',
  run: async (args, context) => {
    const { values, positionals } = parse(args);
    const [name = '', folder, subject, ...more] = positionals;
    const step = Object.hasOwn(STEPS, name) ? STEPS[name]! : undefined;
    if (!step) throw new UsageError(`tuf takes ${Object.keys(STEPS).join(', ')}, not "${name}".`);
    if (folder === undefined) throw new UsageError('The repository is missing.');
    if (more.length > 0 || (subject !== undefined && name !== 'sign' && name !== 'fetch'))
      throw new UsageError(`"${[subject, ...more].join(' ')}" is too many.`);
    const repository = new Repository(folder);
    const work = () => step({ repository, values, subject, context });
    // Only `root` makes the folder, and locks it itself; without it, the others have nothing to change.
    const isOpen = READERS.has(step) || step === stageRoot || !existsSync(folder);
    return isOpen ? work() : repository.exclusively(work);
  },
};

const stageRoot = async ({ repository, values, context }: Step): Promise<number> => {
  const edit = {
    add: (values.add ?? []).map(roleAnd).map(([role, file]) => [role, publicKeyOf(file)] as const),
    remove: (values.remove ?? []).map(roleAnd).map(([role, text]) => [role, keyIdOf(text)] as const),
    thresholds: new Map((values.threshold ?? []).map(roleAnd).map(([role, text]) => [role, countOf(text)])),
  };
  const expiry = expiryOf(values, 'root', context);
  const next = async () => nextRoot(await repository.newest('root'), edit, expiry);
  // A command line that is wrong makes no folder.
  await next();
  await mkdir(repository.folder, { recursive: true });
  await repository.exclusively(async () => {
    const root = await next();
    await repository.stage('root', root);
    rootLines(root).forEach(context.terminal.out);
  });
  return 0;
};

const stageTargets = async ({ repository, values, context }: Step): Promise<number> => {
  await repository.root();
  const exported = required(values.export, '--export');
  const targets = await nextTargets(repository, exported, expiryOf(values, 'targets', context));
  // First the list, by which `tuf publish` knows that these files are not old ones.
  await repository.stage('targets', targets);
  await linkTargets(repository, exported, targets);
  (await targetsLines(repository, targets)).forEach(context.terminal.out);
  return 0;
};

const signStaged = async ({ repository, values, subject, context }: Step): Promise<number> => {
  const of = STAGED_ROLES.find((one) => one === subject);
  if (!of) throw new UsageError(`sign takes ${STAGED_ROLES.join(' or ')}, not "${subject ?? ''}".`);
  const staged = await repository.staged(of);
  if (!staged) throw new CommandRejected(`Nothing is staged for ${of}.`);
  const lines =
    of === 'root'
      ? rootLines(staged as Metadata<Root>)
      : await targetsLines(repository, staged as Metadata<Targets>);
  lines.forEach(context.terminal.out);
  const published = await repository.newest('root');
  const version = ((await repository.newest(of))?.signed.version ?? 0) + 1;
  if (staged.signed.version !== version)
    throw new CommandRejected(
      `Version ${staged.signed.version} of ${of} is staged, and ${version} is next: stage it again.`,
    );
  requireUnexpired(of, staged, context);
  const roots = rootsFor(of, staged, published);
  if (values.signed !== undefined && (values.key ?? values['sign-with']) !== undefined)
    throw new UsageError('Give one of --key, --sign-with and --signed.');
  const keys =
    values.signed === undefined
      ? [addSignature(staged, of, roots, signOf(values))]
      : await addSignaturesOf(staged, of, roots, values.signed);
  await repository.stage(of, staged);
  const missing = Math.max(...roots.map((root) => missingSignatures(root, of, staged)));
  const signers = keys.map(({ keyID }) => keyID.slice(0, 12)).join(', ');
  context.terminal.out(`signed by ${signers}; ${missing} more signatures are needed`);
  if (missing > 0) return 0;
  await repository.publish(of, staged);
  await rm(repository.stagedFile(of));
  context.terminal.out(`${of} ${staged.signed.version} is published`);
  return 0;
};

/** A new root needs the keys of the one before and its own; the others need those of the published root. */
const rootsFor = (
  role: StagedRole,
  staged: Metadata<Root> | Metadata<Targets>,
  published: Metadata<Root> | undefined,
): Metadata<Root>[] => {
  const roots = published ? [published] : [];
  if (role === 'root') return [...roots, staged as Metadata<Root>];
  if (!published) throw new CommandRejected('The root is not signed yet.');
  return roots;
};

const publish = async ({ repository, values, context }: Step): Promise<number> => {
  const root = await repository.root();
  const sign = signOf(values);
  const targets = await repository.newest('targets');
  if (!targets || missingSignatures(root, 'targets', targets) > 0)
    throw new CommandRejected(
      'The targets are not signed by the keys of the newest root: stage and sign them.',
    );
  requireUnexpired('root', root, context);
  requireUnexpired('targets', targets, context);
  await requireTargets(repository, targets);
  const snapshot = await repository.newest('snapshot');
  const expiry = expiryOf(values, 'snapshot', context);
  const isCurrent =
    snapshot?.signed.meta['targets.json']?.version === targets.signed.version &&
    missingSignatures(root, 'snapshot', snapshot) === 0 &&
    Date.parse(snapshot.signed.expires) - context.now.getTime() > (expiry.days * DAY_MS) / 2;
  const next = isCurrent ? undefined : await nextSnapshot(repository, expiry);
  if (next) {
    addSignature(next, 'snapshot', [root], sign);
    requireThreshold(root, 'snapshot', missingSignatures(root, 'snapshot', next));
  }
  const timestamp = await nextTimestamp(repository, expiryOf(values, 'timestamp', context), next);
  addSignature(timestamp, 'timestamp', [root], sign);
  requireThreshold(root, 'timestamp', missingSignatures(root, 'timestamp', timestamp));
  if (next) {
    await repository.publish('snapshot', next);
    context.terminal.out(`snapshot ${next.signed.version} until ${next.signed.expires}`);
  }
  // Last: it is what clients read first.
  await repository.publish('timestamp', timestamp);
  context.terminal.out(`timestamp ${timestamp.signed.version} until ${timestamp.signed.expires}`);
  const removed = await prune(repository, context.now);
  if (removed > 0) context.terminal.out(`${removed} old files removed`);
  return 0;
};

/** Clients reject all that hangs on expired metadata, so a timer that goes on publishing must not report success. */
const requireUnexpired = (
  role: StagedRole,
  { signed: { version, expires } }: Metadata<Root> | Metadata<Targets>,
  { now }: CliContext,
): void => {
  if (Date.parse(expires) <= now.getTime())
    throw new CommandRejected(`${role} ${version} expired at ${expires}: stage and sign the next one.`);
};

const requireThreshold = (root: Metadata<Root>, role: Role, missing: number): void => {
  if (missing > 0)
    throw new CommandRejected(
      `The role ${role} needs ${root.signed.roles[role]!.threshold} signatures; an online role has one key.`,
    );
};

const status = async ({ repository, values, context }: Step): Promise<number> => {
  const root = await repository.root();
  const soon = context.now.getTime() + daysOf(values.within) * DAY_MS;
  let isFine = true;
  for (const role of ROLES) {
    const metadata = await repository.newest(role);
    const missing = metadata ? missingSignatures(root, role, metadata) : 0;
    const problems = [
      ...(metadata ? [] : ['not published']),
      ...(metadata && Date.parse(metadata.signed.expires) <= soon ? ['EXPIRES SOON OR HAS EXPIRED'] : []),
      ...(missing > 0 ? [`${missing} SIGNATURES MISSING`] : []),
    ];
    isFine &&= problems.length === 0;
    const version = metadata ? `${metadata.signed.version} until ${metadata.signed.expires}` : '';
    context.terminal.out([`${role} ${version}`, keysLine(root, role), ...problems].join('; '));
  }
  for (const role of STAGED_ROLES) {
    const staged = await repository.staged(role);
    // A command that was killed may have published what is still staged.
    if (!staged || staged.signed.version <= ((await repository.newest(role))?.signed.version ?? 0)) continue;
    const roots = rootsFor(role, staged, root);
    const missing = Math.max(...roots.map((one) => missingSignatures(one, role, staged)));
    context.terminal.out(`staged: ${role} ${staged.signed.version}; ${missing} more signatures are needed`);
    isFine = false;
  }
  return isFine ? 0 : 1;
};

const fetchFile = async ({ repository, values, subject, context }: Step): Promise<number> => {
  if (subject === undefined) throw new UsageError('The name of the file is missing.');
  const root = required(values.root, '--root');
  const fetchTarget = await tufFetcher(repository.folder, root, required(values.state, '--state'));
  context.terminal.out(await fetchTarget(subject));
  return 0;
};

const STEPS: Readonly<Record<string, (step: Step) => Promise<number>>> = {
  root: stageRoot,
  targets: stageTargets,
  sign: signStaged,
  publish,
  status,
  fetch: fetchFile,
};

/** These change no file of the repository, which need not be theirs. */
const READERS = new Set([status, fetchFile]);

/** What a person signs. */
const rootLines = (root: Metadata<Root>): string[] => [
  `root ${root.signed.version} until ${root.signed.expires}`,
  ...ROLES.map((role) => `  ${role}: ${keysLine(root, role)}`),
];

const keysLine = (root: Metadata<Root>, role: Role): string => {
  const ids = keysOf(root, role).map(({ keyID }) => keyID.slice(0, 12));
  return `${root.signed.roles[role]!.threshold} of ${ids.join(', ')}`;
};

const targetsLines = async (repository: Repository, { signed }: Metadata<Targets>): Promise<string[]> => {
  const before = (await repository.newest('targets'))?.signed.targets ?? {};
  const changed = Object.entries(signed.targets).filter(
    ([path, file]) => before[path]?.equals(file) !== true,
  );
  const removed = Object.keys(before).filter((path) => !(path in signed.targets));
  return [
    `targets ${signed.version} until ${signed.expires}`,
    `  ${Object.keys(signed.targets).length} files, ${changed.length} new or changed, ${removed.length} removed`,
  ];
};
