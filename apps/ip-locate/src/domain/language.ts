/** Languages MaxMind-shaped data has names in. */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'ja', 'pt-BR', 'ru', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];
