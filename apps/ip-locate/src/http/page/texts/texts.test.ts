import { LANGUAGES } from '../../../domain/language.ts';
import { type PageTexts, TEXTS } from './index.ts';

/** Every text by the way to it. */
const textsIn = (texts: PageTexts): Map<string, string> =>
  new Map(
    Object.entries(texts).flatMap(([name, text]) =>
      typeof text === 'string'
        ? [[name, text] as const]
        : Object.entries(text).map(([member, one]) => [`${name}.${member}`, one] as const),
    ),
  );
const placeholders = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();

describe.each(LANGUAGES)('the page in %s', (language) => {
  const texts = textsIn(TEXTS[language]);

  it('has every text, with the values that the English one has, and no markup', () => {
    const english = textsIn(TEXTS.en);
    expect([...texts.keys()]).toEqual([...english.keys()]);
    for (const [name, text] of texts) {
      expect([name, placeholders(text)]).toEqual([name, placeholders(english.get(name)!)]);
      expect(text).toMatch(/^[^<>&"]+$/);
    }
  });
});
