import { answersWithoutExample } from '@workspace/testing';
import { type TestService, testService } from './service.ts';

interface Parameter {
  readonly name: string;
  readonly example?: unknown;
  readonly schema: { readonly enum?: unknown[]; readonly type?: string };
}

let service: TestService;
beforeAll(async () => {
  service = await testService();
});

describe('GET /openapi.json', () => {
  it('has the version of the contract, and that of the software', async () => {
    const { info } = (await service.app.inject('/openapi.json')).json();
    expect(info).toMatchObject({ version: '2025.4.1', 'x-software-version': '1.2.3' });
  });

  it('says that mirror-info is never answered with 304', async () => {
    const { paths } = (await service.app.inject('/openapi.json')).json();
    expect(Object.keys(paths['/mirror-info.php'].get.responses)).not.toContain('304');
    expect(Object.keys(paths['/releases/branches.php'].get.responses)).toContain('304');
  });

  it('shows an example of every answer', async () => {
    const document = (await service.app.inject('/openapi.json')).json();
    expect(answersWithoutExample(document, ['/openapi.', '/docs'])).toEqual([]);
  });

  it('shows one example of every parameter that does not list its values', async () => {
    const { paths } = (await service.app.inject('/openapi.json')).json() as {
      paths: Record<string, { get: { parameters?: Parameter[] } }>;
    };
    const without = Object.entries(paths).flatMap(([path, { get }]) =>
      (get.parameters ?? [])
        .filter(
          ({ example, schema }) =>
            example === undefined && !schema.enum && !('default' in schema) && schema.type !== 'boolean',
        )
        .map(({ name }) => `${path} ${name}`),
    );
    expect(without).toEqual([]);
  });

  it('describes GET only', async () => {
    const { paths } = (await service.app.inject('/openapi.json')).json();
    const methods = Object.values(paths).flatMap((path) => Object.keys(path as object));
    expect(new Set(methods)).toEqual(new Set(['get']));
  });
});
