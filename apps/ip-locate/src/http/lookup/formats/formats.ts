import { type TSchema, Type } from '@sinclair/typebox';
import { csv } from './csv.ts';
import { type FieldValues, FieldValuesSchema } from '../fields.ts';
import { yamlSchema } from '@workspace/service-kit';
import { xml } from './xml.ts';
import { yaml } from './yaml.ts';

/** A way to write the fields of an address. */
interface Format {
  /** media type; ipapi.co's Python client accepts JSON only with exactly the type below */
  readonly type: string;
  readonly write: (values: FieldValues) => string;
  /** what the API reference says of a body */
  readonly content: TSchema;
}

const text = (description: string, example: string): TSchema =>
  Type.String({ description, examples: [example] });

/**
 * Formats of an answer by their name in the path, in the order of preference. To add a format, add it here: its paths, its
 * place in the API reference, and what `Accept` and problems may name, follow from this list.
 */
export const FORMATS = {
  json: {
    type: 'application/json',
    write: (values: FieldValues) => JSON.stringify(values),
    content: FieldValuesSchema,
  },
  csv: {
    type: 'text/csv; charset=utf-8',
    write: csv,
    content: text(
      'a row of names, a row of values (RFC 4180); missing values are empty',
      'ip,city,postal\r\n8.8.8.8,Mountain View,\r\n',
    ),
  },
  xml: {
    type: 'application/xml; charset=utf-8',
    write: xml,
    content: text(
      'one element per field; missing values are empty',
      '<root><ip>8.8.8.8</ip><city>Mountain View</city><postal></postal></root>',
    ),
  },
  yaml: {
    type: 'application/yaml',
    write: yaml,
    content: yamlSchema(
      'a mapping with the members of the JSON answer (YAML 1.1 and 1.2)',
      'ip: "8.8.8.8"\ncity: "Mountain View"\npostal: null\n',
    ),
  },
} satisfies Record<string, Format>;

export type RecordFormat = keyof typeof FORMATS;
/** A name in a path: a format, or a script with the answer as JSON. */
export type FormatName = RecordFormat | 'jsonp';

export const lookupFormats = (): RecordFormat[] => Object.keys(FORMATS) as RecordFormat[];
export const formatNames = (): FormatName[] => [...lookupFormats(), 'jsonp'];

export const SCRIPT_TYPE = 'application/javascript; charset=utf-8';
export const TEXT_TYPE = 'text/plain; charset=utf-8';

const SCRIPT_CONTENT = text(
  'a call of the callback with the answer, or with a problem',
  '/**/show({"ip":"8.8.8.8","country":"US"});',
);

/** The media type of an answer in this format. */
export const formatType = (format: FormatName): string =>
  format === 'jsonp' ? SCRIPT_TYPE : FORMATS[format].type;

/** What the API reference says of answers in these formats, by media type. */
export const formatContent = (...formats: readonly FormatName[]): Readonly<Record<string, TSchema>> =>
  Object.fromEntries(
    formats.map((format) => [
      formatType(format),
      format === 'jsonp' ? SCRIPT_CONTENT : FORMATS[format].content,
    ]),
  );

/** The body of a field. */
export const FIELD_CONTENT = { [TEXT_TYPE]: text('the value; None when it is missing', 'Mountain View') };
