import { type TOptional, type TSchema, type TString, Type } from '@sinclair/typebox';

/**
 * A variable that holds a secret. The secret may be in a file instead, the path of which is in the variable of that name with
 * `_FILE`; `readConfig` reads it, and `currentSecret` reads it again.
 */
export const secret = (description: string): TOptional<TString> =>
  Type.Optional(Type.String({ minLength: 1, description, isSecret: true }));

/** The variable that may have the path of a file with this secret; undefined for what is no `secret`. */
export const fileVariableOf = (name: string, schema: TSchema): string | undefined =>
  schema['isSecret'] ? `${name}_FILE` : undefined;
