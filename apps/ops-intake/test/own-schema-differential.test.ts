import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { ProblemError } from '@workspace/service-kit/problems';
import { seededRandom } from '@workspace/testing/seeded-random';
import type { OperationRules, Violation } from '../src/domain/submission.ts';
import { countStrictly } from '../src/http/submit/submission-body.ts';
import { hostileBody, plainBody } from './hostile-bodies.ts';
import { exampleSchemas, limits } from './own-schemas.ts';

/** What the built-in schema calls violations of the form, a schema file names by its keywords. */
const FORM = ['minimum', 'maximum'];

/** The answer to a body: the number of operations, or the problem with its violations. */
const answerOf = (body: Buffer, rules?: OperationRules): unknown => {
  try {
    return countStrictly(body, limits, rules);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { type, options } = error;
    const errors = (options.errors as Violation[] | undefined)?.map(
      ({ pointer, code }) => `${pointer} ${FORM.includes(code) ? 'format' : code}`,
    );
    return { code: type.code, detail: options.detail, errors: errors?.sort(), members: options.members };
  }
};

// BODIES=1000000: nx properties ops-intake
const bodies = Number(process.env['BODIES'] || 10_000);

it(`operations.v2.json answers as the built-in schema does, with the same pointers and codes, to ${bodies} bodies`, async () => {
  const [schema] = await exampleSchemas('operations.v2.json');
  const random = seededRandom(Number(process.env['SEED'] || 19));
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0; // most bodies are rejected, and a stack trace costs more than the reading
  const seen: Record<string, number> = {};
  for (let count = 0; count < bodies; count += 1) {
    const body = random() < 0.1 ? plainBody(random) : hostileBody(random);
    const [builtIn, own] = [answerOf(body), answerOf(body, schema?.own?.rules)];
    const type = typeof builtIn === 'number' ? 'accepted' : (builtIn as { code: string }).code;
    seen[type] = (seen[type] ?? 0) + 1;
    if (JSON.stringify(builtIn) !== JSON.stringify(own))
      throw new Error(
        `${JSON.stringify(own)} instead of ${JSON.stringify(builtIn)}: ${JSON.stringify(body.toString('latin1'))}`,
      );
  }
  Error.stackTraceLimit = stackTraceLimit;
  // The generator tries all sides of the borders.
  for (const type of ['accepted', 'malformed-json', 'invalid-submission'])
    expect(seen[type]).toBeGreaterThan(bodies / 20);
});

it('orders.v1.json allows what a plain ajv allows of numbers that a double holds', async () => {
  const [schema] = await exampleSchemas('orders.v1.json');
  const own = schema!.own!;
  const ajv = formats.default(
    new Ajv2020({ strict: false, multipleOfPrecision: 6, formats: { decimal: true } }),
  ) as unknown as Ajv2020;
  const isAllowed = ajv.compile(own.operation);
  const valid = JSON.parse(own.examples[0]) as Record<string, unknown>;
  const values = fc.oneof(
    fc.constantFrom('buy', 'BRL', 'A1', 'A.B', 'BRK.BB', '', 'x'.repeat(33), null, true, [], {}, '1'),
    fc.string({ maxLength: 14 }),
    fc.uuid(),
    fc.integer({ min: -3, max: 1_000 }),
    fc.integer({ min: 0, max: 200 }).map((hundredths) => hundredths / 100),
  );
  const names = fc.constantFrom(...Object.keys(valid), 'unknown', 'constructor', 'toString');
  let allowed = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(names, values), { maxLength: 3 }), fc.option(names), (changes, without) => {
      const operation: Record<string, unknown> = { ...valid, ...Object.fromEntries(changes) };
      if (without !== null) delete operation[without];
      const text = JSON.stringify([operation]);
      const answer = answerOf(Buffer.from(text), own.rules);
      const expected = isAllowed(operation);
      if (expected) allowed += 1;
      if ((answer === 1) !== expected)
        throw new Error(`${text}: ${JSON.stringify(answer)}, ajv: ${expected}`);
    }),
    { numRuns: 5_000 },
  );
  expect(allowed).toBeGreaterThan(250);
});
