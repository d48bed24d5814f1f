/**
 * Escapes text for an HTML, SVG or XML document: element content or an attribute. Characters that XML 1.0
 * cannot represent become U+FFFD.
 */
export const escapeMarkup = (text: string): string =>
  withoutControls(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');

/** Replaces the characters that XML 1.0 cannot represent, lone surrogates included, by U+FFFD. */
export const withoutControls = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd');
