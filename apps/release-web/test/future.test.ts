import { copyOfFixture, editData, testService } from './service.ts';

describe('a future branch', () => {
  it('is shown with its expected date in the API and the events, and not to clients of php.net', async () => {
    const folder = await copyOfFixture();
    await editData(folder, '8.6', (branch) => (branch.expected = '2027-11-18'));
    const { app } = await testService({}, { folder });
    const get = async (url: string) => (await app.inject(url)).body;

    expect(JSON.parse(await get('/api/v1/branches/8.6')).item).toMatchObject({
      state: 'future',
      expected_release: '2027-11-18',
      next_transition: { date: '2027-11-18', kind: 'expected-release', is_past: false },
    });
    expect(JSON.parse(await get('/api/v1/events?branch=8.6')).total).toBe(1);
    for (const path of ['/releases/branches.php', '/releases/states.php', '/releases/active.php']) {
      expect(await get(path)).not.toContain('8.6');
    }
  });

  it.each([
    ['2027-11-17T23:59:59Z', 'its first release is expected on', 'First release expected'],
    ['2027-11-18T23:59:59Z', 'its first release is expected on', 'First release expected'],
    ['2027-11-19T00:00:00Z', 'its first release was expected on', 'First release was expected'],
  ])('is late when its day is over: %s', async (start, sentence, name) => {
    const folder = await copyOfFixture();
    await editData(folder, '8.6', (branch) => (branch.expected = '2027-11-18'));
    const { app } = await testService({}, { folder, start });
    const { body } = await app.inject('/releases/8.6/');
    expect(body).toContain(`${sentence} <time datetime="2027-11-18">`);
    expect(body).toContain(`<dt>${name}</dt>`);
  });
});
