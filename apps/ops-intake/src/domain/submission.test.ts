import { type SubmissionError, submissionParser } from './submission.ts';

const parseSubmission = submissionParser({ operations: 200, fractionDigits: 8 });
const parse = (text: string | Buffer) => parseSubmission(Buffer.from(text));
const errorOf = (text: string | Buffer): SubmissionError => {
  const parsed = parse(text);
  if ('error' in parsed) return parsed.error;
  throw new Error('was taken');
};

describe('submissionParser', () => {
  it('keeps the very bytes of the client', () => {
    const text = ' [ {"quantity":100, "unit-cost":10.00,\n"operation":"b\\u0075y"} ] ';
    const parsed = parse(text);
    expect(parsed).toEqual({ submission: { bytes: Buffer.from(text), operations: 1 } });
  });

  it.each([
    ['bad UTF-8', Buffer.from([0x5b, 0x22, 0xc3, 0x28, 0x22, 0x5d])],
    ['a surrogate in UTF-8', Buffer.from([0x5b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x5d])],
    ['UTF-16', Buffer.from('[]', 'utf16le')],
    ['a byte order mark', Buffer.from('\ufeff[]')],
    ['an empty body', Buffer.alloc(0)],
    ['a member twice', '[{"operation":"buy","operation":"buy","unit-cost":1,"quantity":1}]'],
  ])('calls %s malformed', (_what, body) => {
    expect(errorOf(body).kind).toBe('malformed');
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
  ])('points at what is wrong in %s', (text, pointer, code) => {
    expect(errorOf(text)).toMatchObject({ kind: 'invalid', truncated: false, faults: [{ pointer, code }] });
  });

  it('names every fault of every element, up to a hundred', () => {
    const three = errorOf(
      '[{"operation":"buy","unit-cost":1,"quantity":1},{},{"operation":1,"unit-cost":1}]',
    );
    expect(three).toMatchObject({ kind: 'invalid', truncated: false });
    expect(three.kind === 'invalid' && three.faults.map(({ pointer }) => pointer)).toEqual([
      '#/1/operation',
      '#/1/unit-cost',
      '#/1/quantity',
      '#/2/operation',
      '#/2/quantity',
    ]);
    const many = errorOf(JSON.stringify(Array.from({ length: 50 }, () => ({}))));
    expect(many.kind === 'invalid' && [many.faults.length, many.truncated]).toEqual([100, true]);
  });

  it('refuses more operations than allowed', () => {
    expect(errorOf(JSON.stringify(Array.from({ length: 201 }, () => 0))).kind).toBe('too-many');
  });
});
