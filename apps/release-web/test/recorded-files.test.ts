import { copyOfFixture, editData, type TestService, testService } from './service.ts';

const DIGEST = 'a'.repeat(64);

let service: TestService;
beforeAll(async () => {
  const folder = await copyOfFixture();
  await editData(folder, '8.4', (branch) => {
    branch.current!.sizes = { 'php-8.4.24.tar.xz': 13_000_000 };
    branch.retired_builds = [
      { version: '8.4.24RC1', sha256: [DIGEST], date: '16 July 2026' },
      { version: '8.4.24RC2', sha256: [] },
    ];
  });
  service = await testService({}, { folder });
});
const get = async (path: string) => (await service.app.inject(path)).json();

it.each([
  ['8.4.24', [null, null, 13_000_000]],
  ['8.4.23', [null, null, null]],
  ['3.0.x (latest)', [null, null]],
])('/api/v1/releases/%s has the sizes on record', async (version, sizes) => {
  const { item } = await get(`/api/v1/releases/${encodeURIComponent(version)}`);
  expect(item.files.map(({ size }: { size: unknown }) => size)).toEqual(sizes);
});

it('/api/v1/pre-releases/earlier has the builds that were replaced, newest first', async () => {
  expect(await get('/api/v1/pre-releases/earlier')).toMatchObject({
    total: 2,
    items: [
      { build: '8.4.24RC2', branch: '8.4', date: null, sha256: [] },
      { build: '8.4.24RC1', branch: '8.4', date: '2026-07-16', sha256: [DIGEST] },
    ],
  });
});

it('the page of a release has the sizes on record', async () => {
  const { body } = await service.app.inject('/releases/8_4_24.php');
  expect(body.match(/<a [^>]*>php-8\.4\.24\.tar\.\w+<\/a>( <small>[\d.]+ MB<\/small>)?/g)).toEqual([
    expect.not.stringContaining('MB'),
    expect.not.stringContaining('MB'),
    expect.stringContaining('>php-8.4.24.tar.xz</a> <small>13.0 MB</small>'),
  ]);
});
