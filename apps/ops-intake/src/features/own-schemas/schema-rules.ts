import { NO_VIOLATIONS, type OperationRules } from '../../domain/submission.ts';
import { viewOf } from './operation-view.ts';
import type { SchemaObject } from './schema-node.ts';
import { schemaViolations } from './schema-violations.ts';
import { validatorsOf } from './validators.ts';

/** An operation with more values than this is reported by its first violation alone: each takes memory. */
const MOST_REPORTED_VALUES = 200;

/** The rules of a schema, judged by ajv on the texts of numbers. @throws UnusableSchema */
export const schemaRules = (schema: SchemaObject): OperationRules => {
  const { isValid, first, report } = validatorsOf(schema);
  return (element, index) => {
    const { value, values } = viewOf(element);
    if (isValid(value)) return NO_VIOLATIONS;
    const validate = values > MOST_REPORTED_VALUES ? first : report;
    validate(value);
    return schemaViolations(validate.errors ?? [], `#/${index}`);
  };
};
