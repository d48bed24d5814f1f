import type { BranchFile } from '@workspace/release-catalogue';
import { copyOfFixture, editData, type TestService, testService } from './service.ts';

/** Starts a service whose branch 8.5 is edited. @returns what it answers to a URL */
const withEdited = (edit: (branch: BranchFile) => object): ((url: string) => Promise<string>) => {
  let service: TestService;
  beforeAll(async () => {
    const folder = await copyOfFixture();
    await editData(folder, '8.5', (branch) => Object.assign(branch, edit(branch)));
    service = await testService({}, { folder });
  });
  return async (url) => (await service.app.inject(url)).body;
};

describe('a withdrawn release', () => {
  const yanked = { date: '2026-11-20', reason: 'eats data' };
  const get = withEdited((branch) => ({ ...branch, current: { ...branch.current, yanked } }));

  it('is found in the index by its full version only', async () => {
    const versions = Object.keys(JSON.parse(await get('/releases/index.php?json&version=8.5&max=-1')));
    expect(versions).toEqual(['8.5.8', '8.5.0']);
    expect(JSON.parse(await get('/releases/index.php?json&version=8.5.9')).version).toBe('8.5.9');
  });

  it('stays on record, marked as what it is', async () => {
    expect(JSON.parse(await get('/api/v1/releases/8.5.9')).item.yanked).toEqual({
      date: '2026-11-20',
      reason: 'eats data',
    });
    expect(JSON.parse(await get('/api/v1/support?version=8.5.9')).item).toMatchObject({
      is_yanked: true,
      latest: '8.5.8',
    });
    expect(await get('/releases/8_5_9.php')).toContain(
      'Withdrawn on <time datetime="2026-11-20">20 Nov 2026</time>:</strong> eats data',
    );
  });
});

describe('a branch whose only release was withdrawn', () => {
  const get = withEdited((branch) => {
    const first = branch.history.find(({ version }) => version === '8.5.0');
    const yanked = { date: '2025-11-21', reason: 'eats data' };
    return { ...branch, current: { ...first, yanked }, history: [] };
  });

  it('has no support that ends', async () => {
    expect(JSON.parse(await get('/api/v1/branches/8.5')).item).toMatchObject({
      state: 'future',
      is_supported: false,
      initial_release: null,
      active_support_end: null,
      security_support_end: null,
      last_supported_day: null,
      next_transition: null,
    });
    expect(JSON.parse(await get('/api/v1/support?version=8.5.0')).item.last_supported_day).toBeNull();
    expect(JSON.parse(await get('/api/v1/events?branch=8.5')).items).toEqual([]);
  });

  it('has no dates on the pages', async () => {
    const next = /<h2>What happens next<.*?<\/section>/s.exec(await get('/releases/'))?.[0];
    expect(next).toContain('PHP 8.4');
    expect(next).not.toContain('PHP 8.5');
    const page = await get('/releases/8.5/');
    expect(page).toContain('All releases of PHP 8.5 were withdrawn.');
    for (const words of ['active support', 'Active support', 'only security fixes', '<svg']) {
      expect(page).not.toContain(words);
    }
  });
});
