import { pointerStep } from '@workspace/schemas';

/** One difference between two JSON values. */
export interface JsonChange {
  /** JSON Pointer (RFC 6901) */
  readonly pointer: string;
  /** absent: there was nothing */
  readonly from?: unknown;
  /** absent: there is nothing any more */
  readonly to?: unknown;
}

/** The smallest members that differ; lists are compared index by index. Undefined members do not count. */
export const jsonChanges = (from: unknown, to: unknown): JsonChange[] => {
  if (from === to) return [];
  if (!isContainer(from) || !isContainer(to) || Array.isArray(from) !== Array.isArray(to)) {
    return [{ pointer: '', ...(from !== undefined && { from }), ...(to !== undefined && { to }) }];
  }
  const changes: JsonChange[] = [];
  const compare = (member: string): void => {
    // Most members of two releases are equal: a pointer is written for those that are not.
    for (const change of jsonChanges(from[member], to[member]))
      changes.push({ ...change, pointer: pointerStep(member) + change.pointer });
  };
  for (const member of Object.keys(from)) compare(member);
  for (const member of Object.keys(to)) if (!Object.hasOwn(from, member)) compare(member);
  return changes;
};

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
