import { type Static, Type } from '@sinclair/typebox';
import { ProblemError } from '@workspace/service-kit';
import { ALL_FIELDS, type FieldName, parseFields } from '../domain/fields.ts';
import { LANGUAGES } from '../domain/language.ts';
import { problems } from '../problems.ts';
import { isCallback } from '../views/jsonp.ts';

/** The query of every lookup. Others (ipapi.co's `key`) are ignored. */
export const Query = Type.Object({
  fields: Type.Optional(Type.String({ maxLength: 400, description: 'names separated by commas, or all' })),
  lang: Type.Optional(
    Type.String({
      description: `language of the names: ${LANGUAGES.join(', ')}, or the closest of them; English when there is none`,
      examples: ['de'],
    }),
  ),
  callback: Type.Optional(Type.String({ description: 'function of a jsonp answer' })),
});
export type Query = Static<typeof Query>;

/** The fields a query asks for, or the defaults. */
export function fieldsOf(query: Query, defaults: readonly FieldName[]): readonly FieldName[] {
  if (query.fields === undefined) return defaults;
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
