/** Languages MaxMind-shaped data has names in. */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'ja', 'pt-BR', 'ru', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language of `LANGUAGES` with the primary subtag of a BCP 47 tag: `de-AT` → `de`, `pt` → `pt-BR`; undefined if there is none. */
export const languageOf = (tag: string): Language | undefined => {
  const asked = primary(tag.toLowerCase());
  return LANGUAGES.find((language) => primary(language) === asked);
};

/**
 * The language to answer in: the one that begins as the one asked for, or else English.
 * @param tag a BCP 47 language tag, or any other text
 */
export const closestLanguage = (tag: string | undefined): Language => languageOf(tag ?? '') ?? 'en';

const primary = (tag: string): string => tag.split('-', 1)[0] ?? tag;
