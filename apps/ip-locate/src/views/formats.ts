import type { LocationRecord } from '../domain/fields.ts';
import { csv } from './csv.ts';
import { json } from './json.ts';
import { xml } from './xml.ts';
import { yaml } from './yaml.ts';

/** Formats of a record, by their name in the path. ipapi.co's Python client takes JSON only as exactly this type. */
export const FORMATS = {
  json: { type: 'application/json', render: json },
  csv: { type: 'text/csv; charset=utf-8', render: csv },
  xml: { type: 'application/xml; charset=utf-8', render: xml },
  yaml: { type: 'application/yaml', render: yaml },
} satisfies Record<string, { type: string; render: (record: LocationRecord) => string }>;

export type FormatName = keyof typeof FORMATS;

export const isFormat = (name: string): name is FormatName => Object.hasOwn(FORMATS, name);

export const SCRIPT_TYPE = 'application/javascript; charset=utf-8';
export const TEXT_TYPE = 'text/plain; charset=utf-8';
