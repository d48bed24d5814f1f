import { type TestService, testService } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});

const get = async (path: string) => {
  const answer = await service.app.inject(`/api/v1${path}`);
  return { status: answer.statusCode, headers: answer.headers, ...answer.json() };
};

describe('a second address of the same thing', () => {
  it.each([
    '/healthz',
    '/readyz',
    '/api/v1/openapi.json',
    '/api/v1/endoflife/php.json',
    '/releases/8.4/support.json',
  ])('%s does not exist', async (path) => {
    expect((await service.app.inject(path)).statusCode).toBe(404);
  });
});

describe('/api/v1', () => {
  it('every path of /api/v1 answers with a slash at its end, too', async () => {
    const { paths } = (await service.app.inject('/openapi.json')).json();
    const values: Record<string, string> = {
      branch: '8.4',
      version: '8.4.1',
      product: 'php',
      release: '8.4',
    };
    const all = Object.keys(paths as object)
      .filter((path) => path.startsWith('/api/v1'))
      .map((path) => path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'nothing'));
    expect(all).toContain('/api/v1/branches');
    for (const path of all) {
      const query = path.endsWith('/support') ? '?version=8.4' : '';
      const plain = await service.app.inject(path + query);
      const slash = await service.app.inject(`${path}/${query}`);
      expect([path, slash.statusCode, slash.headers.etag]).toEqual([
        path,
        plain.statusCode,
        plain.headers.etag,
      ]);
    }
  });

  it('answers begin with the same members', async () => {
    expect(await get('/branches')).toMatchObject({
      schema_version: '1.0',
      generated_at: '2026-08-13T00:00:00Z',
      last_modified: '2026-08-13T00:00:00Z',
      total: 9,
    });
  });

  it('branches have dates as dates, and future ones too', async () => {
    const { items } = await get('/branches');
    expect(items[0]).toMatchObject({ branch: '8.6', state: 'future', latest: null, initial_release: null });
    expect((await get('/branches/8.4')).item).toEqual({
      branch: '8.4',
      state: 'stable',
      is_supported: true,
      latest: '8.4.24',
      initial_release: '2024-11-21',
      expected_release: null,
      active_support_end: '2026-12-31',
      security_support_end: '2028-12-31',
      last_supported_day: '2028-12-30',
      next_transition: { date: '2026-12-31', branch: '8.4', kind: 'active-support-end', is_past: false },
    });
  });

  it('releases come in pages that neither skip nor repeat', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { total: number; next_cursor: string | null; items: { version: string }[] } = await get(
        `/releases?limit=4${cursor && `&cursor=${cursor}`}`,
      );
      expect(page.total).toBe(18);
      seen.push(...page.items.map(({ version }) => version));
      cursor = page.next_cursor;
    }
    expect(seen).toHaveLength(18);
    expect(new Set(seen).size).toBe(18);
    expect(seen.slice(0, 4)).toEqual(['8.5.9', '8.4.24', '8.2.33', '8.5.8']);
    expect(seen.at(-1)).toBe('4.0.0');
  });

  it.each([
    ['branch=8.5', ['8.5.9', '8.5.8', '8.5.0']],
    ['since=2026-07-02&branch=8.4', ['8.4.24', '8.4.23']],
    ['security=true&branch=7.4', ['7.4.33', '7.4.0']],
    ['security=false&branch=4.0', ['4.0.6', '4.0.0']],
    ['since=2027-01-01', []],
  ])('releases?%s', async (query, versions) => {
    const { items, total } = await get(`/releases?${query}`);
    expect(items.map(({ version }: { version: string }) => version)).toEqual(versions);
    expect(total).toBe(versions.length);
  });

  it('one release has its files with absolute addresses', async () => {
    const { item } = await get('/releases/8.4.24');
    expect(item).toMatchObject({
      version: '8.4.24',
      branch: '8.4',
      is_security: true,
      is_latest: true,
      yanked: null,
    });
    expect(item.files[0]).toMatchObject({
      filename: 'php-8.4.24.tar.gz',
      url: 'https://releases.example/distributions/php-8.4.24.tar.gz',
      date: '2026-07-30',
    });
    expect((await get('/releases/3.0.x%20(latest)')).item).toMatchObject({
      branch: '3.0',
      is_security: null,
    });
  });

  it('latest is the newest of all, or of a branch', async () => {
    expect((await get('/releases/latest')).item.version).toBe('8.5.9');
    expect((await get('/releases/latest?branch=7.4')).item.version).toBe('7.4.33');
    expect((await get('/releases/latest?branch=8.6')).status).toBe(404);
  });

  it.each([
    [
      '8.5.9',
      {
        state: 'stable',
        is_on_record: true,
        needs_patch: false,
        needs_upgrade: false,
        missed_security_releases: [],
      },
    ],
    [
      '8.5.0',
      {
        needs_patch: true,
        needs_upgrade: false,
        missed_security_releases: ['8.5.8', '8.5.9'],
        latest: '8.5.9',
      },
    ],
    ['8.5.99', { is_on_record: false, is_supported: null, needs_patch: null, needs_upgrade: false }],
    ['8.4.99', { is_on_record: false, is_supported: null, needs_patch: null, latest: '8.4.24' }],
    // Never released, though later ones were: whatever it is, there is something newer.
    ['8.5.7', { is_on_record: false, is_supported: null, needs_patch: true }],
    [
      '7.4.3-4ubuntu2.29',
      {
        version: '7.4.3-4ubuntu2.29',
        base_version: '7.4.3',
        is_distribution_build: true,
        state: 'eol',
        needs_patch: true,
        needs_upgrade: true,
      },
    ],
    [
      '8.5.8-1%2Bubuntu24.04.1%2Bdeb.sury.org%2B1',
      { base_version: '8.5.8', is_distribution_build: true, is_supported: true, is_on_record: true },
    ],
    ['8.5.9+dfsg', { base_version: '8.5.9', is_distribution_build: true, is_on_record: true }],
    [
      '8.5.9-dev',
      { base_version: '8.5.9', is_distribution_build: false, is_supported: false, needs_patch: true },
    ],
    ['8.5.10RC1', { base_version: '8.5.10', is_on_record: true, is_supported: false, needs_patch: false }],
    ['8.5.10RC7', { is_on_record: false, is_supported: false }],
    ['8.4.24RC1', { base_version: '8.4.24', is_supported: false, needs_patch: true }],
    ['8.2', { state: 'security', needs_patch: null, needs_upgrade: false, last_supported_day: '2026-12-30' }],
    ['7.4.0', { state: 'eol', needs_patch: true, needs_upgrade: true, recommended: '8.5.9' }],
    ['8.6.0', { state: 'future', is_on_record: false, is_supported: false, latest: null }],
    ['8.6.0beta1', { state: 'future', is_on_record: true, is_supported: false }],
  ])('support of %s', async (version, expected) => {
    expect((await get(`/support?version=${version}`)).item).toMatchObject(expected);
  });

  it('support follows the clock', async () => {
    service.set('2026-12-31T00:00:00Z');
    expect((await get('/support?version=8.2.33')).item).toMatchObject({ state: 'eol', needs_upgrade: true });
    service.set('2026-11-21T12:00:00Z');
  });

  it('pre-releases have files only when there is a build', async () => {
    const { items } = await get('/pre-releases');
    expect(items.map(({ build, files }: { build: string; files: [] }) => [build, files.length])).toEqual([
      [null, 0],
      ['8.4.25RC1', 3],
      ['8.5.10RC1', 3],
      ['8.6.0beta1', 3],
    ]);
    expect((await get('/dev-versions')).items).toContain('8.6.0beta1');
  });

  it('events are past or to come', async () => {
    const { items } = await get('/events?branch=8.4');
    expect(items).toEqual([
      { date: '2024-11-21', branch: '8.4', kind: 'initial-release', is_past: true },
      { date: '2026-12-31', branch: '8.4', kind: 'active-support-end', is_past: false },
      { date: '2028-12-31', branch: '8.4', kind: 'security-support-end', is_past: false },
      { date: '2029-01-28', branch: '8.4', kind: 'active-list-end', is_past: false },
    ]);
  });

  it.each([
    ['/branches/9.9', 404, 'unknown-branch'],
    ['/branches/8', 400, 'invalid-request'],
    ['/releases/8.4.999', 404, 'unknown-release'],
    ['/releases?branch=9.9', 404, 'unknown-branch'],
    ['/releases/latest?branch=9.9', 404, 'unknown-branch'],
    ['/releases?limit=0', 400, 'invalid-request'],
    ['/releases?limit=101', 400, 'invalid-request'],
    ['/releases?since=2026-02-30', 400, 'invalid-request'],
    ['/releases?cursor=x', 400, 'invalid-request'],
    ['/releases?security=yes', 400, 'invalid-request'],
    ['/releases?limit=1&limit=2', 400, 'invalid-request'],
    ['/support', 400, 'invalid-request'],
    ['/support?version=8.4.x', 400, 'invalid-request'],
    [`/support?version=8.4.1-${'x'.repeat(200)}`, 400, 'invalid-request'],
    ['/support?version=8.4.1-%0a', 400, 'invalid-request'],
    ['/support?version=9.9.9', 404, 'unknown-branch'],
  ])('%s → %i %s', async (path, status, code) => {
    expect(await get(path)).toMatchObject({ status, type: `urn:problem-type:${code}` });
  });
});
