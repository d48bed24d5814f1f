import { EditError } from './branch-edit.ts';

/** One member by its JSON Pointer (RFC 6901); without a value it is removed. */
export interface MemberEdit {
  readonly pointer: string;
  readonly value?: unknown;
}

/** A copy of a value with members set or removed. @throws EditError when a pointer leads nowhere */
export const withMembers = <T extends object>(value: T, edits: readonly MemberEdit[]): T => {
  const copy = structuredClone(value);
  for (const edit of edits) {
    const path = edit.pointer.slice(1).split('/').map(unescaped);
    const last = path.pop()!;
    const owner = path.reduce<unknown>((at, member) => memberOf(at, member, edit.pointer), copy);
    if (!isContainer(owner)) throw nowhere(edit.pointer);
    if (Array.isArray(owner)) editList(owner, last, edit);
    else if ('value' in edit) owner[last] = edit.value;
    else if (Object.hasOwn(owner, last)) delete owner[last];
    else throw nowhere(edit.pointer);
  }
  return copy;
};

/** `-` and the index after the last one append. */
const editList = (list: unknown[], member: string, edit: MemberEdit): void => {
  const added = 'value' in edit ? [edit.value] : [];
  const indexes = [...[...list, ...added].keys()];
  const index = member === '-' && 'value' in edit ? list.length : indexes.find((at) => String(at) === member);
  if (index === undefined) throw nowhere(edit.pointer);
  list.splice(index, 1, ...added);
};

const memberOf = (owner: unknown, member: string, pointer: string): unknown => {
  if (!isContainer(owner) || !Object.hasOwn(owner, member)) throw nowhere(pointer);
  return owner[member];
};

const nowhere = (pointer: string) => new EditError(`There is nothing at ${pointer}.`);

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const unescaped = (member: string): string => member.replaceAll('~1', '/').replaceAll('~0', '~');
