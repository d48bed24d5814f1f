/** What of a text can be compared with a page: spaces, marks of code and escapes are written differently there. */
const comparable = (text: string): string => text.replaceAll(/[\s`\\\u200b]/g, '');

/** The text of a page in HTML, and where its links lead. */
export const textOf = (html: string): string =>
  html
    .replaceAll(/<(script|style)\b[^]*?<\/\1>/g, '')
    .replaceAll(/<(?:a [^>]*href="([^"]*)"|[^>]+)[^>]*>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll(/&lbrace;|&#123;/g, '{')
    .replaceAll('&amp;', '&');

/** Keywords of a document under which the keys are names, and keys that are keywords even there. */
const NAMED =
  'paths responses schemas properties headers content examples servers channels operations messages'.split(
    ' ',
  );
const KEYWORDS = 'address bindings description examples items messages properties required type'.split(' ');

/** Names, texts and numbers of a document. */
const factsOf = (value: unknown, parent = ''): string[] => {
  if (typeof value === 'boolean' || value === null) return [];
  if (typeof value !== 'object') return [String(value)];
  if (Array.isArray(value)) return value.flatMap((part) => factsOf(part));
  return Object.entries(value).flatMap(([key, part]) => [
    ...(NAMED.includes(parent) && !KEYWORDS.includes(key) ? [key] : []),
    ...(key === '$ref' ? [String(part).split('/').at(-1)!] : factsOf(part, key)),
  ]);
};

/** What a document says and a page does not. */
export const missingFrom = (page: string, document: unknown): string[] => {
  const text = comparable(page);
  return [...new Set(factsOf(document))].filter(
    (fact) =>
      !text.includes(comparable(fact)) && !text.includes(comparable(JSON.stringify(fact).slice(1, -1))),
  );
};
