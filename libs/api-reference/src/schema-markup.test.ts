import type { Schema } from './open-api.ts';
import { prose, schemaMarkup, typeMarkup } from './schema-markup.ts';

const text = (markup: string): string =>
  markup
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

describe('a schema in words', () => {
  it.each<[Schema, string]>([
    [{}, 'any value'],
    [{ type: 'string', format: 'date' }, 'string (date)'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ $ref: '#/components/schemas/Branch' }, '<a href="#schema-Branch">Branch</a>'],
    [{ type: 'array', items: { type: 'integer' } }, 'array of integer'],
    [{ anyOf: [{ type: 'number' }, { type: 'number' }, { type: 'null' }] }, 'number or null'],
    [{ allOf: [{ type: 'object' }, { $ref: '#/x/A' }] }, 'object and <a href="#schema-A">A</a>'],
    [{ type: '<b>' }, '&lt;b&gt;'],
  ])('%j has the type %s', (schema, words) => {
    expect(typeMarkup(schema)).toBe(words);
  });

  it.each<[Schema, string]>([
    [{ type: 'integer', minimum: 1, maximum: 9, default: 5 }, 'integer at least 1 · at most 9 · default 5'],
    [{ type: 'string', enum: ['a', 'b', null] }, 'string one of a , b , null'],
    [
      { type: 'string', description: 'the `x`', examples: ['', 'y'] },
      'string the x for example &quot;&quot; , y',
    ],
    [
      {
        type: 'object',
        required: ['a'],
        properties: { a: { type: 'string' }, b: { items: { properties: { c: {} } } } },
        additionalProperties: { type: 'number' },
      },
      'object a string b array of any value · optional c any value · optional … number · any name',
    ],
    [
      { anyOf: [{ type: 'object', properties: { d: {} } }, { type: 'null' }] },
      'object or null 1. object d any value · optional',
    ],
  ])('%j reads: %s', (schema, words) => {
    expect(text(schemaMarkup(schema))).toBe(words);
  });

  it('escapes what people write', () => {
    expect(prose('<img> & `<code>`')).toBe('&lt;img&gt; &amp; <code>&lt;code&gt;</code>');
    const hostile = schemaMarkup({
      properties: { '<x>': { description: '<x>', examples: ['<x>'], pattern: '<x>' } },
    });
    expect(hostile).not.toContain('<x>');
  });
});
