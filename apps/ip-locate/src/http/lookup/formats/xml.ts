import { escapeMarkup } from '@workspace/service-kit';
import type { FieldValues } from '../fields.ts';

/** One element per field inside `<root>`; missing values are empty. */
export const xml = (values: FieldValues): string => {
  const elements = Object.entries(values).map(
    ([name, value]) => `<${name}>${escapeMarkup(String(value ?? ''))}</${name}>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<root>${elements.join('')}</root>\n`;
};
