import type { FieldValue, FieldValues } from '../fields.ts';

/** A mapping, valid in YAML 1.1 and 1.2. Strings are always quoted, so that `NO` stays Norway. */
export const yaml = (values: FieldValues): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}: ${scalar(value ?? null)}\n`)
    .join('');

/** A JSON string is a YAML string once the additional line breaks and control characters of YAML 1.1 are escaped. */
const scalar = (value: FieldValue): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
