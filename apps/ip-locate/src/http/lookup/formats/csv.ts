import type { FieldValue, FieldValues } from '../fields.ts';

/** A header row and a row of values, RFC 4180; missing values are empty. */
export const csv = (values: FieldValues): string =>
  `${Object.keys(values).join()}\r\n${Object.values(values).map(csvCell).join()}\r\n`;

export const csvCell = (value: FieldValue): string => {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  // Spreadsheets run cells that start like formulas; a UTC offset or a pair of coordinates is not one.
  const guarded = /^[=+\-@\t\r]/.test(value) && !/^[+-][\d.,-]+$/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
};
