import { limits, schemaOfText } from './own-schemas.ts';
import { countStrictly } from '../src/http/submit/submission-body.ts';

const ID = 'https://desk.example/schemas/orders.v1';

/** A usable schema with one member more; `edits` are laid over its top. */
const withMember = (member: unknown, edits: object = {}, example: object = {}): string =>
  JSON.stringify({
    $id: ID,
    type: 'object',
    required: ['side'],
    additionalProperties: false,
    properties: { side: { enum: ['buy', 'sell'] }, member },
    examples: [{ side: 'buy', ...example }],
    ...edits,
  });

/** Why a schema cannot be used; undefined when it can. */
const reason = (text: string): string | undefined => {
  try {
    schemaOfText(text);
    return undefined;
  } catch (error) {
    if ((error as Error).name !== 'UnusableSchema') throw error;
    return (error as Error).message;
  }
};
const chain = (length: number): object =>
  Object.fromEntries(
    Array.from({ length }, (_, index) => [
      `n${index}`,
      { anyOf: Array(3).fill({ $ref: `#/$defs/n${index + 1}` }) },
    ]),
  );
describe('a schema of operations', () => {
  it.each([
    [{ type: 'string', enum: ['a', 'b'] }],
    [{ const: 'a' }],
    [{ type: ['string', 'null'], maxLength: 1 }],
    [{ type: 'boolean' }],
    [{ type: 'integer', minimum: 0, maximum: 10 }],
    [{ type: 'integer', enum: [1, 5, 10] }],
    [{ type: 'number', format: 'decimal', precision: 38, scale: 18, minimum: -1 }],
    [{ type: 'array', maxItems: 3, items: { type: 'string', maxLength: 3 } }],
    [{ type: 'array', prefixItems: [{ type: 'boolean' }], items: false }],
    [{ type: 'object', additionalProperties: false, properties: { a: { type: 'boolean' } } }],
    [{ allOf: [{ type: 'string' }, { maxLength: 5 }] }],
    [{ anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] }],
    [{ type: 'string', oneOf: [{ maxLength: 5 }, { enum: ['a longer text'] }] }],
    [{ if: { type: 'string' }, then: { type: 'string', maxLength: 5 }, else: { type: 'boolean' } }],
    [{ $ref: '#/properties/side' }],
    [{ $ref: 'operations.v1#/properties/unit-cost', description: 'in euros' }],
    [{ $ref: 'operations.v1' }],
    [{ type: 'string', maxLength: 10, format: 'date' }],
    [{}],
    [{ type: 'string' }],
    [{ type: 'array', items: { type: 'boolean' } }],
    [{ type: 'object' }],
  ])('may have a member %j', (member) => {
    expect(reason(withMember(member))).toBeUndefined();
  });

  it.each([
    [{ type: 'number' }, '/properties/member: a number needs format decimal with precision and scale'],
    [
      { type: 'number', format: 'double', minimum: 0 },
      '/properties/member: a number needs format decimal with precision and scale',
    ],
    [
      { type: 'number', format: 'decimal', precision: 39, scale: 1, minimum: 0 },
      '/properties/member/precision: must be a whole number from 1 to 38',
    ],
    [
      { type: 'number', format: 'decimal', precision: 3, scale: 1 },
      '/properties/member: a number needs minimum, which says whether it has a sign',
    ],
    [{ type: 'integer', minimum: 0 }, '/properties/member: an integer needs maximum'],
    [{ $ref: '#' }, '/properties/member/properties/member: $ref # leads back to itself'],
    [
      { $ref: '#/$defs/nothing' },
      '/properties/member: $ref "#/$defs/nothing" refers to nothing in this file',
    ],
    [{ $ref: 'https://elsewhere.example/a' }, expect.stringContaining('refers to nothing in this file')],
    [{ type: 'strng' }, expect.stringContaining('/properties/member/type: must be equal to one of')],
    [{ type: 'string', maxLength: -1 }, '/properties/member/maxLength: must be >= 0'],
    [{ type: 'string', maxlength: 5 }, '/properties/member/maxlength: keyword not supported'],
    [
      { type: 'object', unevaluatedProperties: false },
      '/properties/member/unevaluatedProperties: keyword not supported',
    ],
    [{ enum: [{ a: 1 }] }, '/properties/member: enum and const may have no objects and no arrays'],
    [
      { enum: [1, 'a'] },
      '/properties/member: enum or const with a number needs type number or integer, and only numbers',
    ],
    [
      { type: 'string', maxLength: 5, format: 'postcode' },
      expect.stringMatching(/^\/properties\/member\/format: must be one of date, /),
    ],
    [{ type: 'string', maxLength: 5, pattern: '(' }, expect.stringContaining('/properties/member')],
  ])('may not have a member %j', (member, message) => {
    expect(reason(withMember(member))).toEqual(message);
  });

  it.each(['^(a+)+$', '^(a|a)*$', '(x+x+)+y', '^([a-z]+)*$', '^(a|ab|b)*c$', '^\\s*(\\w+\\s*)*;$'])(
    'may not have the pattern %s, which a text could keep busy',
    (pattern) => {
      expect(reason(withMember({ type: 'string', maxLength: 64, pattern }))).toMatch(
        /^\/properties\/member\/pattern: .* can take too many steps \(ReDoS\)/,
      );
    },
  );

  it.each(['^a+(?<=^x(a+)+)b$', '(?<!c(a|a)+)b'])(
    'may not have the pattern %s, which looks behind',
    (pattern) => {
      expect(reason(withMember({ type: 'string', maxLength: 64, pattern }))).toMatch(
        /^\/properties\/member\/pattern: .* looks behind, which cannot be shown to be fast$/,
      );
    },
  );

  it.each([
    ['', /^unexpected end/],
    ['[]', /^must be a JSON object$/],
    [withMember(true, { $id: 'orders' }), /^\/\$id: must be a URI that ends with name and version/],
    [withMember(true, { $id: 'https://desk.example/orders' }), /^\/\$id: must be a URI/],
    [withMember({ const: 1 }, { $id: 'urn:example:operations.v1' }), /const|built-in schema/],
    [withMember({ type: 'boolean' }, { $id: 'urn:example:operations.v1' }), /is the built-in schema$/],
    [withMember(true, { $schema: 'http://json-schema.org/draft-07/schema#' }), /^\/\$schema: must be https/],
    [withMember({ type: 'boolean' }, { type: 'array' }), /^\/type: must be "object"/],
    [withMember({ type: 'boolean' }, { examples: [] }), /^\/examples: must have at least one operation/],
    [
      withMember({ type: 'boolean' }, { examples: [{ side: 'hold' }] }),
      /^\/examples\/0\/side: must be "buy" or "sell"$/,
    ],
    [
      withMember({ type: 'integer', minimum: 0, maximum: 1 }).replace(
        '"maximum":1',
        '"maximum":9007199254740993',
      ),
      /9007199254740993 has more digits than documents can show$/,
    ],
    [withMember({ type: 'boolean' }).replace('"side"', '"__proto__"'), /__proto__ cannot|examples/],
    [
      withMember({ $ref: '#/$defs/n0' }, { $defs: { ...chain(9), n9: { type: 'boolean' } } }),
      /more than 2000 schemas, with all references resolved$/,
    ],
  ])('%.80s… cannot be used', (text, message) => {
    let why: string | undefined;
    try {
      why = reason(text);
    } catch (error) {
      why = (error as Error).message;
    }
    expect(why).toMatch(message);
  });

  it('explains violations in its own words, alternatives by one violation', () => {
    const { own } = schemaOfText(
      withMember({
        title: 'Venue',
        description: 'where it was traded',
        anyOf: [
          { type: 'string', maxLength: 4 },
          { type: 'object', additionalProperties: false, properties: { mic: { type: 'boolean' } } },
        ],
      }),
    );
    const errorsOf = (body: string) => {
      try {
        return countStrictly(Buffer.from(body), limits, own?.rules);
      } catch (error) {
        return (error as { options: { errors: unknown } }).options.errors;
      }
    };
    expect(errorsOf('[{"side":"buy","member":"XETR"},{"side":"sell","member":{"mic":true}}]')).toBe(2);
    expect(errorsOf('[{"side":"buy","member":"XETRA"}]')).toEqual([
      {
        pointer: '#/0/member',
        code: 'anyOf',
        detail: 'Venue: must fit one of the alternatives (where it was traded)',
      },
    ]);
  });

  it('reports large operations by their first violation', () => {
    const { own } = schemaOfText(withMember({ type: 'boolean' }));
    const operation = (members: number) =>
      new Map(Array.from({ length: members }, (_, index) => [`n${index}`, true] as [string, boolean]));
    const violations = (members: number) => [...own!.rules(operation(members), 0)];
    expect(violations(150)).toHaveLength(151);
    expect(violations(100_000)).toHaveLength(1);
  });

  it('judges pattern and format of a string of any length', () => {
    const { own } = schemaOfText(withMember({ type: 'string', pattern: '^a{0,9}$' }));
    const codes = (text: string) =>
      [...own!.rules(new Map([['side', 'buy']]).set('member', text), 0)].map(({ code }) => code);
    expect([codes('aaa'), codes('b'), codes('a'.repeat(100_000))]).toEqual([[], ['pattern'], ['pattern']]);
  });

  it('knows no inherited members', () => {
    const { own } = schemaOfText(withMember({ type: 'boolean' }));
    for (const name of ['__proto__', 'constructor', 'toString', 'valueOf']) {
      const operation = new Map<string, string | boolean>([['side', 'buy']]).set(name, true);
      expect([...own!.rules(operation, 0)]).toEqual([
        { pointer: `#/0/${name}`, code: 'unknown', detail: 'no such member' },
      ]);
    }
  });
});
