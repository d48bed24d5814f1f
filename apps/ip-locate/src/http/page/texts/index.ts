import { TRAIT_NAMES } from '../../../domain/address-traits.ts';
import type { Language } from '../../../domain/language.ts';
import type { FieldName } from '../../lookup/fields.ts';
import { de } from './de.ts';
import { en, type PageTexts } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { pt } from './pt.ts';
import { ru } from './ru.ts';
import { zh } from './zh.ts';

/** Rows of the answer, by what they are to a person. */
export const SECTIONS = {
  location: [
    'city',
    'region',
    'country_name',
    'postal',
    'latlong',
    'accuracy_radius',
    'timezone',
    'utc_offset',
  ],
  network: ['network', 'asn', 'org', ...TRAIT_NAMES],
  country: ['country_capital', 'currency', 'languages', 'country_calling_code', 'country_tld'],
} as const satisfies Record<keyof PageTexts['sections'], readonly (FieldName & keyof PageTexts['fields'])[]>;

/** The texts of the page in the languages of names. */
export const TEXTS: Readonly<Record<Language, PageTexts>> = {
  en,
  de,
  es,
  fr,
  ja,
  'pt-BR': pt,
  ru,
  'zh-CN': zh,
};

export type { PageTexts };

/** Puts values into a text. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (_all, name: string) => String(values[name]));
