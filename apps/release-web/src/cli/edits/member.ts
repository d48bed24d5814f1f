import { CommandRejected, UsageError } from '../terminal.ts';

/** One member by its JSON Pointer (RFC 6901); without a value it is removed. */
export interface MemberEdit {
  readonly pointer: string;
  readonly value?: unknown;
}

/**
 * Reads `/published/museum=true`: a pointer and JSON.
 * @throws UsageError when it is something else, or a digest, which is never typed
 */
export const parseMemberEdit = (text: string): MemberEdit => {
  const [, pointer, json] = /^(\/[^=]*)=(.*)$/s.exec(text) ?? [];
  if (pointer === undefined || json === undefined) {
    throw new UsageError(`--set takes <pointer>=<json>, like /published/museum=true, not "${text}".`);
  }
  if (/(sha256|md5)[^/]*$/.test(pointer)) {
    throw new UsageError('Digests are not typed: give --manifest, --tarballs or both.');
  }
  try {
    return { pointer, value: JSON.parse(json) as unknown };
  } catch (error) {
    throw new UsageError(`The value of ${pointer} is no JSON: ${(error as Error).message}`, { cause: error });
  }
};

/** A copy of a value with members set or removed. @throws CommandRejected when a pointer leads nowhere */
export const withMembers = <T extends object>(value: T, edits: readonly MemberEdit[]): T => {
  const copy = structuredClone(value);
  for (const edit of edits) {
    const path = edit.pointer.slice(1).split('/').map(unescaped);
    const last = path.pop()!;
    const owner = path.reduce<unknown>((at, member) => memberOf(at, member, edit.pointer), copy);
    if (!isContainer(owner)) throw nowhere(edit.pointer);
    if ('value' in edit) owner[last] = edit.value;
    else if (Object.hasOwn(owner, last)) delete owner[last];
    else throw nowhere(edit.pointer);
  }
  return copy;
};

const memberOf = (owner: unknown, member: string, pointer: string): unknown => {
  if (!isContainer(owner) || !Object.hasOwn(owner, member)) throw nowhere(pointer);
  return owner[member];
};

const nowhere = (pointer: string) => new CommandRejected(`There is nothing at ${pointer}.`);

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const unescaped = (member: string): string => member.replaceAll('~1', '/').replaceAll('~0', '~');
