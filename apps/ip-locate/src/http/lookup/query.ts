import { type Static, Type } from '@sinclair/typebox';
import { ProblemError } from '@workspace/service-kit/problems';
import { LANGUAGES } from '../../domain/language.ts';
import { problems } from '../../problems.ts';
import { parseFields } from './chosen-fields.ts';
import { BY_NAME_ONLY, FIELD_NAMES, type FieldName } from './fields.ts';
import { isCallback } from './formats/jsonp.ts';

/** The query of every lookup. Other parameters are ignored; `createApiKeyOf` reads `key`. */
export const Query = Type.Object({
  fields: Type.Optional(
    Type.String({
      maxLength: 600,
      description: `names of fields, separated by commas; all stands for all but ${BY_NAME_ONLY.join(', ')}`,
    }),
  ),
  lang: Type.Optional(
    Type.String({
      description: `language of names: the closest of ${LANGUAGES.join(', ')}; English when none is close`,
    }),
  ),
  callback: Type.Optional(Type.String({ description: 'name of the function that a JSONP answer calls' })),
});
export type Query = Static<typeof Query>;

/** The fields of answers, which depend on the settings. */
export interface AnswerFields {
  /** when a request names none */
  readonly defaultFields: readonly FieldName[];
  /** what `all` stands for */
  readonly allFields: readonly FieldName[];
}

/** The fields a query names, or else the defaults. */
export const fieldsOf = (query: Query, { defaultFields, allFields }: AnswerFields): readonly FieldName[] => {
  if (query.fields === undefined) return defaultFields;
  const parsed = parseFields(query.fields, allFields);
  if ('fields' in parsed) return parsed.fields;
  throw new ProblemError(problems['unknown-field'], {
    detail: `${JSON.stringify(parsed.unknown.slice(0, 64))} is not one of ${FIELD_NAMES.join(', ')}.`,
  });
};

export const callbackOf = (query: Query): string => {
  const callback = query.callback ?? 'callback';
  if (isCallback(callback)) return callback;
  throw new ProblemError(problems['invalid-callback'], {
    detail: 'A callback is a letter, _ or $, followed by up to 63 letters, digits, _, $ or dots.',
  });
};
