import assert from 'node:assert/strict';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { escapeMarkup, withoutControls } from '../src/markup.ts';

const MARKUP = 'libs/service-kit/src/markup.ts';
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  htmlEntities: true,
  trimValues: false,
  parseTagValue: false,
  parseAttributeValue: false,
});

export const markup: FuzzTarget = {
  name: 'markup',
  property:
    'an XML parser reads escaped text as it was, in an element and in an attribute, apart from what XML cannot have',
  seeds: ['Tom & "Jerry" <b>', "it's > 1 \u0000", 'é😀\ufffe', '&amp;lt; ]]>'],
  dictionary: ['&#39;', '<!--', ']]>', '<![CDATA[', '\u0007', '\ufffd', '&lt', '\u0085', '\u2028'],
  mostBytes: 100,
  branchesPerByte: 100,
  planted: [
    { file: MARKUP, from: ".replaceAll('\"', '&quot;')", to: '' },
    { file: MARKUP, from: ".replaceAll('&', '&amp;')", to: '' },
    { file: MARKUP, from: '\\u000b\\u000c', to: '\\u000c' },
  ],
  check: (input) => {
    const text = input.toString();
    const escaped = escapeMarkup(text);
    // XML 1.0, 2.2: Char.
    assert.match(escaped, /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u);
    const document = `<a><b c="${escaped}">x${escaped}</b></a>`;
    assert.equal(XMLValidator.validate(document), true);
    const { b } = (parser.parse(document) as { a: { b: { c: string; '#text': string } } }).a;
    const expected = withoutControls(text).replaceAll(/\r\n?/g, '\n');
    assert.equal(b['#text'].replaceAll(/\r\n?/g, '\n'), `x${expected}`);
    assert.equal((b.c ?? '').replaceAll(/[\r\n\t]+/g, ' '), expected.replaceAll(/[\n\t]+/g, ' '));
  },
};
