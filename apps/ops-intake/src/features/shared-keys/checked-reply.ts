import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { CallFailed } from './call-failed.ts';

/** The type of a failure whose reply is not one that the server gives. It may have carried the call out. */
export const BAD_REPLY = 'BAD_REPLY';

/** Milliseconds since 1970 that a `Date` can hold. */
export const Milliseconds = Type.Number({ minimum: 0, maximum: 8.64e15 });

/**
 * Checks what a server says, as it may be another program, or a proxy that lies.
 * @returns the reply as it is; throws CallFailed when it does not match the schema
 */
export const checkedBy = <Schema extends TSchema>(schema: Schema): ((reply: unknown) => Static<Schema>) => {
  const check = TypeCompiler.Compile(schema);
  return (reply) => {
    if (check.Check(reply)) return reply;
    const first = check.Errors(reply).First();
    const where = first ? `${first.path || '/'}: ${first.message}` : 'no match';
    throw new CallFailed(BAD_REPLY, true, `the reply is not as expected: ${where}`);
  };
};
