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
export const jsonChanges = (from: unknown, to: unknown, pointer = ''): JsonChange[] => {
  if (from === to) return [];
  if (!isContainer(from) || !isContainer(to) || Array.isArray(from) !== Array.isArray(to)) {
    return [{ pointer, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }];
  }
  const members = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...members].flatMap((member) =>
    jsonChanges(from[member], to[member], pointer + pointerStep(member)),
  );
};

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
