import { csv } from './csv.ts';
import type { LocationRecord } from './fields.ts';
import { xml } from './xml.ts';
import { yaml } from './yaml.ts';

/** Formats of a record by their name in the path. ipapi.co's Python client accepts JSON only with exactly this type. */
export const FORMATS = {
  json: { type: 'application/json', write: (record: LocationRecord) => JSON.stringify(record) },
  csv: { type: 'text/csv; charset=utf-8', write: csv },
  xml: { type: 'application/xml; charset=utf-8', write: xml },
  yaml: { type: 'application/yaml', write: yaml },
} satisfies Record<string, { type: string; write: (record: LocationRecord) => string }>;

export type FormatName = keyof typeof FORMATS;

export const isFormat = (name: string): name is FormatName => Object.hasOwn(FORMATS, name);

export const SCRIPT_TYPE = 'application/javascript; charset=utf-8';
export const TEXT_TYPE = 'text/plain; charset=utf-8';
