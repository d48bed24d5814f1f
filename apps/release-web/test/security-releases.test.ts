import { copyOfFixture, editData, type TestService, testService } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});
const get = async (path: string) => (await service.app.inject(path)).json();

describe('a release that fixes vulnerabilities', () => {
  it('is in releases, feeds and pages with its fixes', async () => {
    const cve = 'CVE-2026-17544';
    expect((await get('/api/v1/releases/8.4.24')).item.fixes).toContain(cve);
    const feed = await get('/releases/feed.json');
    const entry = feed.items.find(
      ({ _release }: { _release?: { version: string } }) => _release?.version === '8.4.24',
    );
    expect([entry.content_text, entry.tags.join(), entry._release.fixes.join()]).toEqual(
      Array.from({ length: 3 }, () => expect.stringContaining(cve)),
    );
    expect((await service.app.inject('/releases/feed.php')).body).toContain(`<category term="${cve}"/>`);
    expect((await service.app.inject('/releases/8_4_24.php')).body).toContain(cve);
    expect((await service.app.inject('/releases/8_4_1.php')).body).not.toContain('vulnerabilities');
  });

  it('is a security release everywhere but in the answers of php.net, whatever its kind is', async () => {
    const { items } = await get('/api/v1/releases?limit=100');
    type Item = (typeof items)[number];
    const withFixes = items.filter(({ fixes }: Item) => fixes.length > 0);
    expect(withFixes.map(({ version }: Item) => version)).toEqual(
      expect.arrayContaining(['8.4.24', '8.2.0', '8.1.0', '7.4.0', '5.4.45', '5.4.0']),
    );
    const listed = (await get('/api/v1/releases?limit=100&security=true')).items;
    for (const { version, branch, is_security, tags } of withFixes) {
      const [entry] = (await get(`/releases/${branch}/feed.json`)).items.filter(
        ({ _release }: Item) => _release.version === version,
      );
      const atom = (await service.app.inject(`/releases/${branch}/feed.atom`)).body
        .split('<entry>')
        .find((text) => text.includes(`<php:version>${version}<`));
      const row = (await service.app.inject(`/releases/${branch}/`)).body
        .split('<tr>')
        .find((text) => text.includes(`>${version}</a></th>`));
      expect({
        version,
        is_security,
        tags,
        isListed: listed.some((item: Item) => item.version === version),
        missed: (await get(`/api/v1/support?version=${branch}.0beta1`)).item.missed_security_releases,
        jsonFeed: [entry.tags, entry.content_text],
        atom,
        row,
        page: (await service.app.inject(`/releases/${version.replaceAll('.', '_')}.php`)).body,
      }).toEqual({
        version,
        is_security: true,
        tags: ['security'],
        isListed: true,
        missed: expect.arrayContaining([version]),
        jsonFeed: [expect.arrayContaining(['security']), expect.stringContaining('fixes security issues')],
        atom: expect.stringMatching(/fixes security issues[^]*term="security"[^]*<php:tag>security</),
        row: expect.stringContaining('>Security</span>'),
        page: expect.stringContaining('>Fixes security issues</span>'),
      });
    }
    expect((await get('/releases/index.php?json&version=8.2.0')).tags).toEqual([]);
  });

  it('hands its fixes on to the next release when it is withdrawn', async () => {
    const folder = await copyOfFixture();
    await editData(folder, '8.5', ({ current, history }) => {
      history[0]!.yanked = { date: '2026-08-01', reason: 'x' };
      current!.kind = 'bugfix';
      delete current!.fixes;
      current!.published.tags = [];
    });
    const { app } = await testService({}, { folder });
    const { affected } = (await app.inject('/api/v1/security/CVE-2026-14355')).json();
    expect(affected[0].versions).toEqual(['8.5.0', '8.5.8']);
    for (const version of affected[0].versions) {
      const { item } = (await app.inject(`/api/v1/support?version=${version}`)).json();
      expect([version, item.missed_security_releases]).toEqual([version, ['8.5.9']]);
    }
  });
});
