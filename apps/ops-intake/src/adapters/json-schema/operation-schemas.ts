import { BUILT_IN_SCHEMA, type OperationSchema, type OwnSchema } from '../../application/operation-schema.ts';
import type { DecimalLimits } from '../../domain/decimal.ts';
import type { JsonValue } from '../../domain/json-value.ts';
import { checkBounds } from './bounds.ts';
import { builtInDocument } from './built-in-document.ts';
import { hostileOperations } from './hostile-operations.ts';
import { jsonText } from './json-text.ts';
import { checkPatterns } from './patterns.ts';
import { schemaFileOf } from './schema-file.ts';
import { schemaRules } from './schema-rules.ts';
import { UnusableSchema } from './unusable-schema.ts';

export interface OperationSchemaOptions {
  readonly limits: DecimalLimits;
  /** reads a whole submission with these rules, as requests are read, be it valid or not */
  readonly read: (body: Buffer, own: OwnSchema) => void;
  /** most microseconds of CPU that reading a KiB of any body may take */
  readonly budgetMicros: number;
}

/**
 * Makes a schema of a file that submissions are checked against.
 * @param value the parsed file
 * @throws UnusableSchema when it is invalid, not bounded or too slow
 */
export const operationSchemaOf = (
  value: JsonValue,
  { limits, read, budgetMicros }: OperationSchemaOptions,
): OperationSchema => {
  const file = schemaFileOf(value, new Map([[BUILT_IN_SCHEMA.name, builtInDocument(limits)]]));
  checkBounds(file.schema);
  checkPatterns(file.schema);
  if (file.name === BUILT_IN_SCHEMA.name)
    throw new UnusableSchema('/$id', `${BUILT_IN_SCHEMA.name} is the built-in schema`);
  const rules = schemaRules(file.schema);
  for (const [index, example] of file.examples.entries()) {
    if (rules.isSound(example)) continue;
    const [broken] = rules.violations(example, '');
    throw new UnusableSchema(`/examples/${index}${broken?.pointer}`, String(broken?.detail));
  }
  const { examples: _unused, ...operation } = file.schema;
  const [first, ...others] = file.examples.map(jsonText) as [string, ...string[]];
  const own: OwnSchema = {
    dataSchema: file.dataSchema,
    rules,
    operation: operation as Record<string, unknown>,
    examples: [first, ...others],
  };
  checkCost(hostileOperations(file.schema, file.examples), (body) => read(body, own), budgetMicros);
  return { name: file.name, type: file.type, own };
};

const BODY_BYTES = 16_384;
/** Code is slow until it is compiled, and others use the machine: the least of so many turns counts. */
const MOST_TURNS = 7;

const bodyOf = (operation: string): Buffer => {
  const operations = Math.max(1, Math.floor(BODY_BYTES / (operation.length + 1)));
  return Buffer.from(`[${Array(operations).fill(operation).join()}]`);
};

/** @throws UnusableSchema for the first body that takes longer than the budget */
const checkCost = (
  operations: Iterable<{ text: string; what: string }>,
  read: (body: Buffer) => void,
  budgetMicros: number,
): void => {
  for (const { text, what } of operations) {
    const body = bodyOf(text);
    const mostMicros = (budgetMicros * body.length) / 1_024;
    let least = Infinity;
    for (let turn = 0; turn < MOST_TURNS && least > mostMicros; turn += 1) {
      const before = process.cpuUsage();
      read(body);
      const { user, system } = process.cpuUsage(before);
      least = Math.min(least, user + system);
    }
    if (least <= mostMicros) continue;
    const micros = Math.round((least * 1_024) / body.length);
    throw new UnusableSchema(
      '',
      `takes ${micros} µs of CPU a KiB, more than the ${budgetMicros} of OPERATION_SCHEMA_BUDGET_US, for bodies with ${what}`,
    );
  }
};
