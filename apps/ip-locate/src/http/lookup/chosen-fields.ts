import { ALL_FIELDS, FIELD_NAMES, type FieldName, isField, SHORT_RECORD } from './fields.ts';

/**
 * Parses the names of fields, as in `?fields=`: separated by commas, in the order of the answer; `all` stands for many.
 * @returns the first name that is not a field, if there is one
 */
export const parseFields = (
  text: string,
  all: readonly FieldName[],
): { fields: readonly FieldName[] } | { unknown: string } => {
  if (text === 'all') return { fields: all };
  const names = text
    .split(',')
    .map((name) => name.trim())
    .flatMap<string>((name) => (name === 'all' ? all : name));
  const fields = names.filter(isField);
  const unknown = names.find((name) => !isField(name));
  return unknown === undefined ? { fields: [...new Set(fields)] } : { unknown };
};

interface DefaultFieldsConfig {
  DEFAULT_FIELDS?: string;
}

/** One sentence when DEFAULT_FIELDS contains something that is not a field, for `readConfig`. */
export const defaultFieldsViolations = ({ DEFAULT_FIELDS: text }: DefaultFieldsConfig): string[] => {
  const parsed = parseFields(text ?? 'all', ALL_FIELDS);
  if ('fields' in parsed) return [];
  return [`DEFAULT_FIELDS must be all or some of ${FIELD_NAMES.join(', ')}`];
};

/** The fields of an answer when the request names none. */
export const defaultFieldsOf = (
  { DEFAULT_FIELDS: text }: DefaultFieldsConfig,
  all: readonly FieldName[],
): readonly FieldName[] => {
  const parsed = text === undefined ? undefined : parseFields(text, all);
  return parsed && 'fields' in parsed ? parsed.fields : SHORT_RECORD;
};
