import type { FieldValue } from '../domain/fields.ts';

/** A single value as ipapi.co writes it: what is missing is Python's `None`, truth is `True`. */
export function text(value: FieldValue): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return String(value);
}
