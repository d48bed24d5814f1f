import { code, prose, schemaMarkdown, typeOf } from './schema.ts';

describe('typeOf', () => {
  it.each([
    [{ type: 'string', format: 'uuid' }, 'string (`uuid`)'],
    [{ type: ['integer', 'null'] }, 'integer or null'],
    [{ type: 'string', enum: ['buy', 'sell'] }, '`"buy"` or `"sell"`'],
    [{ type: 'string', const: 'a|b' }, '`"a\\|b"`'],
    [
      { type: 'array', items: { $ref: '#/components/schemas/Operation' } },
      'array of [Operation](#operation)',
    ],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string or null'],
    [{}, 'any value'],
  ])('of %j is %s', (schema, expected) => {
    expect(typeOf(schema)).toBe(expected);
  });
});

describe('schemaMarkdown', () => {
  it('has a row for each member, those of inner objects and arrays with their paths', () => {
    const [type, members] = schemaMarkdown({
      type: 'object',
      required: ['id'],
      additionalProperties: false,
      properties: {
        id: { type: 'string', minLength: 3, description: 'a name', examples: ['abc'] },
        list: {
          type: 'array',
          maxItems: 9,
          items: { type: 'object', properties: { deep: { type: 'number' } } },
        },
      },
    });
    expect(type).toBe('Type: object; no other members');
    expect(members!.split('\n').slice(2)).toEqual([
      '| `id` | string | yes | a name; minLength `3`; for example `abc` |',
      '| `list` | array of object | no | maxItems `9` |',
      '| `list[].deep` | number | no |  |',
    ]);
  });

  it('has the members of each form', () => {
    const [, members] = schemaMarkdown({
      anyOf: [
        { type: 'object', description: 'there', properties: { at: { type: 'string' } } },
        { type: 'object', properties: { why: { type: 'string' } } },
        { type: 'null', description: 'when there is nothing' },
        { type: 'string' },
      ],
    });
    expect(members!.split('\n').slice(2)).toEqual([
      '|  | **form 1**: object |  | there |',
      '| `at` | string | no |  |',
      '|  | **form 2**: object |  |  |',
      '| `why` | string | no |  |',
      '|  | **form 3**: null |  | when there is nothing |',
    ]);
  });

  it('writes keywords that it does not know as they are', () => {
    expect(schemaMarkdown({ type: 'number', multipleOf: 0.5 })).toEqual(['Type: number; multipleOf `0.5`']);
  });
});

it('keeps text of a document from becoming HTML, a cell or an expression', () => {
  expect(prose('urn:<code> | `<b>` {{ x }}')).toBe('urn:&lt;code> \\| `<b>` &lbrace;&lbrace; x }}');
  expect(code('a`b|c')).toBe('`` a`b\\|c ``');
});
