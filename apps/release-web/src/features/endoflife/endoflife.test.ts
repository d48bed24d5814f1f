import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { type TestService, testService } from '../../../test/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});

const get = (url: string) => service.app.inject(url);

describe('the shapes of endoflife.date', () => {
  it('the first API names the products before it answers for each', async () => {
    expect((await get('/api/all.json')).body).toBe('["php"]');
  });

  it('API v1: all branches with a date, newest first', async () => {
    const { schema_version, result } = (await get('/api/v1/products/php')).json();
    expect(schema_version).toBe('1.2.1');
    expect(result).toMatchObject({ name: 'php', label: 'PHP', category: 'lang' });
    expect(result.releases.map(({ name }: { name: string }) => name)).toEqual([
      '8.5',
      '8.4',
      '8.2',
      '8.1',
      '7.4',
      '5.4',
      '4.0',
    ]);
    expect(result.releases[1]).toEqual({
      name: '8.4',
      codename: null,
      label: '8.4',
      releaseDate: '2024-11-21',
      isLts: false,
      ltsFrom: null,
      isEoas: false,
      eoasFrom: '2026-12-31',
      isEol: false,
      eolFrom: '2028-12-31',
      isMaintained: true,
      latest: { name: '8.4.24', date: '2026-07-30', link: 'https://releases.example/releases/8_4_24.php' },
      custom: null,
    });
    expect(result.releases[2]).toMatchObject({ isEoas: true, isEol: false, isMaintained: true });
    expect(result.releases[3]).toMatchObject({ isEoas: true, isEol: true, isMaintained: false });
  });

  it('API v1: one release cycle, or the latest, as the product has them', async () => {
    const { releases } = (await get('/api/v1/products/php')).json().result;
    const [latest, second] = releases;
    expect((await get('/api/v1/products/php/releases/8.4')).json().result).toEqual(second);
    expect((await get('/api/v1/products/php/releases/latest')).json().result).toEqual(latest);
  });

  it('API v1: every link of its lists leads to an answer, and all lists agree', async () => {
    const seen = new Set<string>();
    const follow = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      seen.add(path);
      const answer = await get(path);
      expect([path, answer.statusCode]).toEqual([path, 200]);
      expect((await get(`${path}/`)).body).toBe(answer.body);
      const { total, result } = answer.json();
      if (!Array.isArray(result)) return;
      expect(total).toBe(result.length);
      for (const [, link] of answer.body.matchAll(/"uri":"https:\/\/releases\.example([^"]+)"/g))
        await follow(link!);
    };
    await follow('/api/v1');
    expect([...seen].sort()).toEqual([
      '/api/v1',
      '/api/v1/categories',
      '/api/v1/categories/lang',
      '/api/v1/identifiers',
      '/api/v1/identifiers/cpe',
      '/api/v1/identifiers/purl',
      '/api/v1/identifiers/repology',
      '/api/v1/products',
      '/api/v1/products/php',
      '/api/v1/tags',
      '/api/v1/tags/lang',
    ]);
    const { result: product } = (await get('/api/v1/products/php')).json();
    expect((await get('/api/v1/products/full')).json().result).toEqual([product]);
    const [summary] = (await get('/api/v1/products')).json().result;
    const { uri, ...facts } = summary;
    expect(uri).toBe('https://releases.example/api/v1/products/php');
    expect(product).toMatchObject(facts);
    expect((await get('/api/v1/tags/lang')).json().result).toEqual([summary]);
    expect(product.identifiers).toContainEqual({ type: 'cpe', id: 'cpe:2.3:a:php:php' });
  });

  it('the first API, as Renovate asks with registryUrl https://releases.example/api', async () => {
    const cycles: Record<string, unknown>[] = (await get('/api/php.json')).json();
    expect(cycles[1]).toEqual({
      cycle: '8.4',
      releaseDate: '2024-11-21',
      eol: '2028-12-31',
      latest: '8.4.24',
      latestReleaseDate: '2026-07-30',
      link: 'https://releases.example/releases/8_4_24.php',
      lts: false,
      support: '2026-12-31',
    });
    const { cycle: _cycle, ...detail } = cycles[1]!;
    expect((await get('/api/php/8.4.json')).json()).toEqual(detail);
  });

  it.each([
    ['/api/ruby.json', 'unknown-product'],
    ['/api/v1/products/ruby', 'unknown-product'],
    ['/api/v1/products/ruby/releases/8.4', 'unknown-product'],
    ['/api/v1/products/php/releases/3.0', 'unknown-branch'],
    ['/api/v1/products/php/releases/none', 'unknown-branch'],
    ['/api/v1/categories/os', 'not-found'],
    ['/api/v1/tags/os', 'not-found'],
    ['/api/v1/identifiers/swid', 'not-found'],
    ['/api/ruby/8.4.json', 'unknown-product'],
    ['/api/php/9.9.json', 'unknown-branch'],
    ['/api/php/3.0.json', 'unknown-branch'],
  ])('%s: %s', async (path, code) => {
    const answer = await get(path);
    expect([answer.statusCode, answer.json().type]).toEqual([404, `urn:problem-type:${code}`]);
  });
});

interface Description {
  readonly paths: Record<
    string,
    { get: { responses: Record<string, { content: Record<string, { schema: { $ref: string } }> }> } }
  >;
}

const file = process.env['ENDOFLIFE_OPENAPI'];
if (!file) console.info("left out: ENDOFLIFE_OPENAPI does not name endoflife.date's OpenAPI document");

/** The published document is a page of Jekyll: what is above its second line of dashes is not part of it. */
const described = (path: string): Description => parse(readFileSync(path, 'utf8').split(/^---$/m).at(-1)!);

if (file) {
  describe("endoflife.date's own description of API v1", () => {
    it('agrees with every answer, at six instants', async () => {
      const document = described(file);
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
}
