import { isSafePattern } from 'redos-detector';
import { eachSubschema, type SchemaObject } from './schema-node.ts';
import { UnusableSchema } from './unusable-schema.ts';

const LONGEST_PATTERN = 500;
/** The search below takes them for safe, and `^a+(?<=^x(a+)+)b$` is not. */
const LOOKBEHIND = /\(\?<[=!]/;
/** Steps and not time: a pattern is safe or not, however busy the machine is. */
const SEARCH = { unicode: true, maxSteps: 2_000, maxScore: 200, timeout: Infinity };

/**
 * Rejects patterns that a text could keep busy (ReDoS): those with more ways to match than a linear search tries.
 * @throws UnusableSchema
 */
export const checkPatterns = (schema: SchemaObject): void => {
  const checked = new Set<string>();
  eachSubschema(schema, ({ pattern }, at) => {
    if (pattern === undefined || checked.has(pattern)) return;
    checked.add(pattern);
    const pointer = `${at}/pattern`;
    if (pattern.length > LONGEST_PATTERN)
      throw new UnusableSchema(pointer, `is longer than ${LONGEST_PATTERN} characters`);
    if (LOOKBEHIND.test(pattern.replaceAll(/\\./gs, '')))
      throw new UnusableSchema(pointer, `${pattern} looks behind, which cannot be shown to be fast`);
    if (!isSafe(pattern, pointer))
      throw new UnusableSchema(
        pointer,
        `${pattern} can take too many steps (ReDoS): begin it with ^, bound its repetitions, and let each character match one way only`,
      );
  });
};

const isSafe = (pattern: string, pointer: string): boolean => {
  try {
    void new RegExp(pattern, 'u');
    return isSafePattern(pattern, SEARCH).safe;
  } catch (error) {
    throw new UnusableSchema(pointer, `cannot be read: ${(error as Error).message}`);
  }
};
