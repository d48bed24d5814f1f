import { type Static, Type } from '@sinclair/typebox';
import { ProblemError } from '@workspace/service-kit';
import { ALL_FIELDS, DEFAULT_FIELDS, type FieldName, parseFields } from '../domain/fields.ts';
import { type Language, LANGUAGES } from '../domain/language.ts';
import { problems } from '../problems.ts';
import { isCallback } from '../views/jsonp.ts';

/** The query of every lookup. Others (ipapi.co's `key`) are ignored. */
export const Query = Type.Object({
  fields: Type.Optional(Type.String({ maxLength: 400, description: 'names separated by commas, or all' })),
  lang: Type.Optional(
    Type.Unsafe<Language>({ type: 'string', enum: [...LANGUAGES], description: 'language of the names' }),
  ),
  callback: Type.Optional(Type.String({ description: 'function of a jsonp answer' })),
});
export type Query = Static<typeof Query>;

/** The fields a query asks for; the default eight when it does not. */
export function fieldsOf(query: Query): readonly FieldName[] {
  if (query.fields === undefined) return DEFAULT_FIELDS;
  const parsed = parseFields(query.fields);
  if ('fields' in parsed) return parsed.fields;
  throw new ProblemError(problems['unknown-field'], {
    detail: `${JSON.stringify(parsed.unknown.slice(0, 64))} is none of ${ALL_FIELDS.join(', ')}.`,
  });
}

export function callbackOf(query: Query): string {
  const callback = query.callback ?? 'callback';
  if (isCallback(callback)) return callback;
  throw new ProblemError(problems['invalid-callback'], {
    detail: 'A callback is a letter, _ or $, followed by up to 63 letters, digits, _, $ or dots.',
  });
}
