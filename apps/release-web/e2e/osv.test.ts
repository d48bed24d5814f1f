import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuiltService, describeWith, runTool, startBuiltService } from '@workspace/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Its module holds the JSON Schema. */
const OSV = 'github.com/ossf/osv-schema@v1.9.0';

describeWith(['go'], "OSV's own schema", () => {
  let service: BuiltService;
  beforeAll(async () => {
    service = await startBuiltService('release-web');
  });
  afterAll(() => service.stop());

  it('agrees with every record', async () => {
    const { Dir: folder } = JSON.parse(await runTool('go', ['mod', 'download', '-json', OSV])) as {
      Dir: string;
    };
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(ajv);
    const validate = ajv.compile(
      JSON.parse(readFileSync(join(folder, 'validation/schema.json'), 'utf8')) as object,
    );
    const get = async (path: string): Promise<unknown> => (await fetch(service.url + path)).json();
    const { items } = (await get('/api/v1/security')) as { items: { cve: string }[] };
    expect(items.length).toBeGreaterThan(10);
    for (const { cve } of items) {
      void validate(await get(`/api/v1/security/${cve}`));
      expect([cve, validate.errors]).toEqual([cve, null]);
    }
    expect(validate({ id: 'CVE-2026-0000' })).toBe(false);
  });
});
