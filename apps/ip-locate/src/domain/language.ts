/** Languages MaxMind-shaped data has names in. */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'ja', 'pt-BR', 'ru', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * The language to answer in: the one that begins as the one asked for (`de-AT` → `de`, `pt` → `pt-BR`), or else English.
 * @param tag a BCP 47 language tag, or any other text
 */
export const closestLanguage = (tag: string | undefined): Language => {
  const asked = primary((tag ?? '').toLowerCase());
  return LANGUAGES.find((language) => primary(language) === asked) ?? 'en';
};

const primary = (tag: string): string => tag.split('-', 1)[0] ?? tag;
