import type { FieldValue } from '../fields.ts';

/** A single value as ipapi.co writes it, in Python's spelling: `None` when it is missing, `True`, `False`. */
export const text = (value: FieldValue): string => {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return String(value);
};
