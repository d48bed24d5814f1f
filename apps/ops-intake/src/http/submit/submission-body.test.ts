import { ProblemError } from '@workspace/service-kit/problems';
import { submissionReader } from './submission-body.ts';

const read = submissionReader({ operations: 200, fractionDigits: 8, messageBytes: 900_000 });
const problemOf = async (text: string | Buffer): Promise<ProblemError> => {
  try {
    await read(Buffer.from(text));
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
  throw new Error('was accepted');
};

describe('a request body', () => {
  it('keeps the very bytes of the client', () => {
    const text = ' [ {"quantity":100, "unit-cost":10.00,\n"operation":"b\\u0075y"} ] ';
    expect(read(Buffer.from(text))).toEqual({ bytes: Buffer.from(text), operations: 1 });
  });

  it.each([
    ['bad UTF-8', Buffer.from([0x5b, 0x22, 0xc3, 0x28, 0x22, 0x5d])],
    ['a surrogate in UTF-8', Buffer.from([0x5b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x5d])],
    ['UTF-16', Buffer.from('[]', 'utf16le')],
    ['a byte order mark', Buffer.from('\ufeff[]')],
    ['an empty body', Buffer.alloc(0)],
    ['a member twice', '[{"operation":"buy","operation":"buy","unit-cost":1,"quantity":1}]'],
  ])('with %s is malformed', async (_what, body) => {
    expect((await problemOf(body)).type.code).toBe('malformed-json');
  });

  it.each([
    ['{}', '#', 'type'],
    ['null', '#', 'type'],
    ['[]', '#', 'minItems'],
    ['[1]', '#/0', 'type'],
    ['[[]]', '#/0', 'type'],
    ['[{"operation":"hold","unit-cost":1,"quantity":1}]', '#/0/operation', 'enum'],
    ['[{"operation":"buy","unit-cost":"1","quantity":1}]', '#/0/unit-cost', 'type'],
    ['[{"operation":"buy","unit-cost":null,"quantity":1}]', '#/0/unit-cost', 'type'],
    ['[{"operation":"buy","unit-cost":-1,"quantity":1}]', '#/0/unit-cost', 'format'],
    ['[{"operation":"buy","unit-cost":1,"quantity":1.0}]', '#/0/quantity', 'format'],
    ['[{"operation":"buy","unit-cost":1}]', '#/0/quantity', 'required'],
    ['[{"operation":"buy","unit-cost":1,"quantity":1,"a/b~ c":1}]', '#/0/a~1b~0%20c', 'unknown'],
    ['[{"operation":"buy","unit-cost":1,"quantity":1,"__proto__":1}]', '#/0/__proto__', 'unknown'],
  ])('points at what is wrong in %s', async (text, pointer, code) => {
    const { type, options } = await problemOf(text);
    expect(type.code).toBe('invalid-submission');
    expect(options).toMatchObject({ errors: [{ pointer, code }] });
    expect(options.members).toBeUndefined();
  });

  it('names every violation of every element, up to a hundred', async () => {
    const { options: three } = await problemOf(
      '[{"operation":"buy","unit-cost":1,"quantity":1},{},{"operation":1,"unit-cost":1}]',
    );
    expect(three.errors?.map(({ pointer }) => pointer)).toEqual([
      '#/1/operation',
      '#/1/unit-cost',
      '#/1/quantity',
      '#/2/operation',
      '#/2/quantity',
    ]);
    const { options: many } = await problemOf(JSON.stringify(Array.from({ length: 50 }, () => ({}))));
    expect(many.errors).toHaveLength(100);
    expect(many.members).toEqual({ errorsTruncated: true });
  });

  it('may not have more operations than allowed', async () => {
    const { type, options } = await problemOf(JSON.stringify(Array.from({ length: 201 }, () => 0)));
    expect([type.code, options.detail]).toEqual([
      'too-many-operations',
      '201 operations; at most 200 are taken.',
    ]);
  });

  it('may not be larger than a message', async () => {
    const text = `[{"operation":"buy","unit-cost":1,"quantity":1}${' '.repeat(900_000)}]`;
    const { type, options } = await problemOf(text);
    // Its key may have been accepted when the limit was higher.
    expect([type.code, options.members]).toEqual(['message-too-large', undefined]);
  });
});
