import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyOfFixture, testService } from './service.ts';

describe('/health with thousands of violations', () => {
  it('names the first ones, says how many there are, and stays small', async () => {
    const folder = await copyOfFixture();
    const service = await testService({}, { folder });
    for (let n = 0; n < 400; n++) await writeFile(join(folder, `branches/9.${n}.json`), `{"branch": "${n}"}`);
    await writeFile(join(folder, 'branches/x.json'), JSON.stringify({ branch: 'long '.repeat(10_000) }));
    await service.watcher.check();
    const { body, statusCode } = await service.app.inject('/health');
    expect(statusCode).toBe(200);
    expect(body.length).toBeLessThan(5_000);
    const { status, checks } = JSON.parse(body);
    expect(status).toBe('warn');
    expect(checks['data:revision'][0].output).toContain('branches/9.0.json');
    expect(checks['data:revision'][0].output).toMatch(/; and \d{4} more$/);
  });

  it('shortens a long text of the data', async () => {
    const folder = await copyOfFixture();
    const service = await testService({}, { folder });
    const id = `ftp://${'x'.repeat(100_000)}`;
    const at = '2026-08-14T00:00:00Z';
    const item = { id, title: 't', link: id, published: at, updated: at, summary: 's', categories: [] };
    await writeFile(join(folder, 'news.json'), JSON.stringify({ updated: at, items: [item, item] }));
    await service.watcher.check();
    const { body } = await service.app.inject('/health');
    expect(JSON.parse(body).status).toBe('warn');
    expect(body.length).toBeLessThan(5_000);
  });
});

describe('/health/ready', () => {
  it('is 503 while the service shuts down', async () => {
    const { app, drain } = await testService();
    const before = await app.inject('/health/ready');
    expect([before.statusCode, before.json()]).toEqual([200, { ready: true }]);
    drain.start();
    const after = await app.inject('/health/ready');
    expect([after.statusCode, after.json()]).toEqual([503, { ready: false, reason: 'draining' }]);
    expect((await app.inject('/health/live')).statusCode).toBe(200);
  });
});
