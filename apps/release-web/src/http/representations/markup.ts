/** Text for an HTML, SVG or XML document; control characters, which none of them may hold, become U+FFFD. */
export const escapeMarkup = (text: string): string =>
  withoutControls(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** Without the characters that XML 1.0 cannot hold, lone surrogates among them. */
export const withoutControls = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd');
