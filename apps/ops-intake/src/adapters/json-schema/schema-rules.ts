import type { OperationRules } from '../../domain/submission.ts';
import { viewOf } from './operation-view.ts';
import { mostValues } from './most-values.ts';
import type { SchemaObject } from './schema-node.ts';
import { schemaViolations } from './schema-violations.ts';
import { validatorsOf } from './validators.ts';

/** An operation with more values than this is reported by its first violation alone: each takes memory. */
const MOST_REPORTED_VALUES = 200;

/** The rules of a schema, judged by ajv on the texts of numbers. @throws UnusableSchema */
export const schemaRules = (schema: SchemaObject): OperationRules => {
  const { isValid, first, report } = validatorsOf(schema);
  // What exceeds this is too large by some rule, but small operations are reported in full.
  const most = Math.max(mostValues(schema), MOST_REPORTED_VALUES);
  return {
    isSound: (element) => {
      const view = viewOf(element, most);
      return view !== undefined && isValid(view.value);
    },
    violations: (element, pointer) => {
      const view = viewOf(element, most);
      if (view === undefined)
        return [
          { pointer, code: 'size', detail: `has more than ${most} values, which no operation may have` },
        ];
      const validate = view.values > MOST_REPORTED_VALUES ? first : report;
      validate(view.value);
      return schemaViolations(validate.errors ?? [], pointer);
    },
  };
};
