import { MOST_DIGITS } from '../../domain/decimal.ts';
import type { DecimalLimits } from '../../domain/decimal.ts';
import { MEMBERS } from '../../domain/operation.ts';

/** The built-in schema in the words of a schema file: what `$ref: operations.v1#/properties/…` refers to. */
export const builtInDocument = (limits: DecimalLimits): object => ({
  type: 'object',
  required: [...MEMBERS.keys()],
  additionalProperties: false,
  properties: Object.fromEntries(
    Array.from(MEMBERS, ([name, member]) => {
      const { examples: _unused, ...schema } = member.schema(limits) as Record<string, unknown>;
      const decimal = { format: 'decimal', precision: MOST_DIGITS, scale: limits.fractionDigits };
      return [name, schema['type'] === 'number' ? { ...schema, ...decimal } : schema];
    }),
  ),
});
