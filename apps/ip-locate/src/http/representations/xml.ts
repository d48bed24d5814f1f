import type { LocationRecord } from './fields.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** One element per field inside `<root>`; missing values are empty. */
export function xml(record: LocationRecord): string {
  const elements = Object.entries(record).map(
    ([name, value]) => `<${name}>${escapeMarkup(String(value ?? ''))}</${name}>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<root>${elements.join('')}</root>\n`;
}

/** Escapes markup and replaces the characters that XML 1.0 cannot represent. */
export const escapeMarkup = (text: string): string =>
  text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
