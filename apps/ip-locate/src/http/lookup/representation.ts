import { commonProblems, ProblemError } from '@workspace/service-kit/problems';
import type { LookupResult } from '../../application/locate.ts';
import { EntryLocation } from '../../domain/entry-location.ts';
import { FIELD_NAMES, type FieldName, fieldOf, isField, valuesOf, SHORT_RECORD } from './fields.ts';
import { FORMATS, type FormatName, formatNames, SCRIPT_TYPE, TEXT_TYPE } from './formats/formats.ts';
import { jsonp } from './formats/jsonp.ts';
import { text } from './formats/text.ts';
import { callbackOf, type Query } from './query.ts';

/** What the last part of a path asks for: all fields in a format, or one field as text. */
export type FormatOrField = FormatName | FieldName;

/**
 * The field that a path ends in; formats have routes of their own.
 * @throws ProblemError when there is no such field
 */
export const parseField = (name: string): FieldName => {
  if (isField(name)) return name;
  throw new ProblemError(commonProblems['not-found'], {
    detail: `The path must end in one of ${[...formatNames(), ...FIELD_NAMES].join(', ')}.`,
  });
};

/** The fields an answer is made of. */
export const fieldsShown = (
  formatOrField: FormatOrField,
  fields: readonly FieldName[],
): readonly FieldName[] => (isField(formatOrField) ? [formatOrField] : fields);

/** A location as it is sent. */
export interface Representation {
  readonly contentType: string;
  readonly body: string;
}

/** @throws ProblemError when a JSONP script is asked for and the name of its callback is invalid */
export const represent = (
  result: LookupResult,
  formatOrField: FormatOrField,
  fields: readonly FieldName[],
  query: Query,
): Representation => {
  if (isField(formatOrField)) return { contentType: TEXT_TYPE, body: text(fieldOf(result, formatOrField)) };
  if (formatOrField === 'json' && fields === SHORT_RECORD) {
    return { contentType: FORMATS.json.type, body: shortJson(result) };
  }
  const values = valuesOf(result, fields);
  if (formatOrField === 'jsonp') {
    return { contentType: SCRIPT_TYPE, body: jsonp(FORMATS.json.write(values), callbackOf(query)) };
  }
  return { contentType: FORMATS[formatOrField].type, body: FORMATS[formatOrField].write(values) };
};

const SHORT_WITHOUT_IP = SHORT_RECORD.slice(1);

/** The short answer as JSON. What follows the address is the same for all addresses of a location, and is kept with it. */
const shortJson = (result: LookupResult): string => {
  const { address, location } = result;
  const isKept = location instanceof EntryLocation;
  let rest = isKept ? location.shortJson : undefined;
  if (rest === undefined) {
    rest = FORMATS.json.write(valuesOf(result, SHORT_WITHOUT_IP)).slice(1);
    if (isKept) location.shortJson = rest;
  }
  return `{"ip":"${address.text}",${rest}`;
};
