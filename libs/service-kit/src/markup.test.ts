import { escapeMarkup, withoutControls } from './markup.ts';

describe('text in markup', () => {
  it('is escaped in elements and in attributes', () => {
    expect(escapeMarkup(`<a href="x">R&D's</a>`)).toBe(
      `&lt;a href=&quot;x&quot;&gt;R&amp;D&apos;s&lt;/a&gt;`,
    );
  });

  it.each(['\u0000', '\u000b', '\u001f', '\ufffe', '\ud800'])(
    'loses %j, which XML cannot represent',
    (character) => {
      expect(withoutControls(`a${character}b`)).toBe('a\ufffdb');
    },
  );

  it('keeps tabs, line breaks and pairs of surrogates', () => {
    expect(escapeMarkup('a\t\r\n😀')).toBe('a\t\r\n😀');
  });
});
