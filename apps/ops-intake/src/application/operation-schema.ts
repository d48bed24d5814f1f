import type { OperationRules } from '../domain/submission.ts';
import { BUILT_IN_TYPE } from './submission-record.ts';

/** A schema of operations that submissions can be checked against: the built-in one, or one of OPERATION_SCHEMA_FILE. */
export interface OperationSchema {
  /** what clients choose it by, such as `orders.v2` */
  readonly name: string;
  /** `ce_type` of its records, such as `orders.submitted.v2` */
  readonly type: string;
  /** what the built-in schema does not have: that one is judged, described and recorded as it always was */
  readonly own?: OwnSchema;
}

export interface OwnSchema {
  /** `ce_dataschema` of its records: a URI */
  readonly dataSchema: string;
  readonly rules: OperationRules;
  /** JSON Schema 2020-12 of one operation, without references */
  readonly operation: Readonly<Record<string, unknown>>;
  /** operations that it allows, as JSON text */
  readonly examples: readonly [string, ...string[]];
}

/** The schema of `domain/operation.ts`: the only one unless OPERATION_SCHEMA_FILE is set. */
export const BUILT_IN_SCHEMA: OperationSchema = { name: 'operations.v1', type: BUILT_IN_TYPE };
