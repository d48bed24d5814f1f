import type { FieldValue, LocationRecord } from '../domain/fields.ts';

/** A mapping, YAML 1.1 and 1.2 alike: texts are always quoted, so that `NO` stays Norway. */
export const yaml = (record: LocationRecord): string =>
  Object.entries(record)
    .map(([name, value]) => `${name}: ${scalar(value ?? null)}\n`)
    .join('');

/** JSON's spelling is YAML's double-quoted one, once YAML 1.1's further line breaks and controls are escaped. */
const scalar = (value: FieldValue): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
