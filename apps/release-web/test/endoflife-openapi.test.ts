import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { type TestService, testService } from './service.ts';

interface Description {
  readonly paths: Record<
    string,
    { get: { responses: Record<string, { content: Record<string, { schema: { $ref: string } }> }> } }
  >;
}

const file = process.env['ENDOFLIFE_OPENAPI'];
if (!file) console.info("skipped: ENDOFLIFE_OPENAPI does not name endoflife.date's OpenAPI document");

/** The published document is a page of Jekyll: what is above its second line of dashes is not part of it. */
const described = (path: string): Description => parse(readFileSync(path, 'utf8').split(/^---$/m).at(-1)!);

(file ? describe : describe.skip)("endoflife.date's own description of API v1", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await testService();
  });
  afterAll(() => service.app.close());

  it('agrees with every answer, at six instants', async () => {
    const document = described(file!);
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(ajv, ['date', 'date-time', 'uri']);
    ajv.addFormat('int32', true);
    ajv.addSchema(document, 'document');
    const names: Record<string, readonly string[]> = {
      product: ['php'],
      category: ['lang'],
      tag: ['lang'],
      identifier_type: ['purl', 'cpe', 'repology'],
      release: ['8.5', '8.4', '7.4', '5.4', '4.0'],
    };
    let answers = 0;
    for (const at of ['2026-08-14', '2026-11-21', '2026-12-31', '2027-12-31', '2029-12-31', '2036-01-01']) {
      service.set(`${at}T00:00:00Z`);
      for (const [template, { get }] of Object.entries(document.paths)) {
        const { $ref } = get.responses['200']!.content['application/json']!.schema;
        const validate = ajv.getSchema(`document${$ref}`)!;
        const [, name = ''] = /\{(\w+)\}$/.exec(template) ?? [];
        for (const value of names[name] ?? ['']) {
          const path = template.replace(`{${name}}`, value).replace('{product}', 'php');
          const answer = await service.app.inject(`/api/v1${path}`);
          answers += 1;
          void validate(answer.json());
          expect({ at, path, status: answer.statusCode, errors: validate.errors }).toEqual({
            at,
            path,
            status: 200,
            errors: null,
          });
        }
      }
    }
    expect(answers).toBeGreaterThan(6 * 11);
  });
});
