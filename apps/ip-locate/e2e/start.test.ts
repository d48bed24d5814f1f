import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Health } from '@workspace/schemas';
import { builtFile, eventually, startServiceProcess } from '@workspace/testing';

const start = async (env: Record<string, string>) => {
  const { exited, lines, stderr } = startServiceProcess({ args: [builtFile('ip-locate')], env });
  return { status: await exited, lines, stderr: stderr() };
};

describe('the start', () => {
  it('names every violation in the environment at once, and exits with 1', async () => {
    const { status, stderr, lines } = await start({ PORT: 'abc', TRUST_PROXY: 'true', RATE_LIMIT: '-1' });
    expect([status, lines]).toEqual([1, []]);
    expect(stderr).toMatch(/PORT must be an integer/);
    expect(stderr).toMatch(
      /RATE_LIMIT must be <number>\/<second\|minute\|hour>, such as 100\/minute, or 0 for no limit/,
    );
    expect(stderr).toMatch(/TRUST_PROXY must list addresses.*; entry 1 is none of them/);
  });

  it.each([
    [{ ERROR_STATUS: '404' }, 'ERROR_STATUS must be 200, not 404'],
    [{ LOG_ADDRESSES: 'full' }, 'LOG_ADDRESSES must be truncated, not "full"'],
    [{ DEFAULT_FIELDS: 'ip,nothing' }, 'DEFAULT_FIELDS must be all or some of ip, network'],
  ])('rejects %j', async (env, violation) => {
    const { status, stderr } = await start(env);
    expect([status, stderr]).toEqual([1, expect.stringContaining(violation)]);
  });

  it('survives SIGHUP before the databases are loaded, and loads them again', async () => {
    const service = startServiceProcess({ args: [builtFile('ip-locate')], env: { DRAIN_DELAY_MS: '0' } });
    await service.logged('loading databases');
    service.child.kill('SIGHUP');
    await service.logged('data files loaded', 2);
    await service.url();
    expect(await service.stop()).toBe(0);
  });

  it('says that the bundled data is old, and not of files of your own', async () => {
    const bundled = 'the bundled data is old, and nothing renews it: set ';
    const env = { DRAIN_DELAY_MS: '0' };
    const service = startServiceProcess({ args: [builtFile('ip-locate')], env });
    await service.url();
    const { database, builtAt } = await service.logged(`${bundled}DATABASE_PATH`);
    expect([database, builtAt]).toEqual(['city', expect.stringMatching(/^2026-06/)]);
    await service.logged(`${bundled}ASN_DATABASE_PATH`);
    expect(await service.stop()).toBe(0);
  });

  it('holds each database once, however often it is loaded', async () => {
    const service = startServiceProcess({
      args: [builtFile('ip-locate')],
      env: { DRAIN_DELAY_MS: '0', MANAGEMENT_PORT: '0' },
    });
    try {
      await service.url();
      const { address } = await service.logged('management listening');
      const external = async () => {
        const metrics = await (await fetch(`${String(address)}/metrics`)).text();
        return Number(/^nodejs_external_memory_bytes (\d+)$/m.exec(metrics)?.[1]);
      };
      const before = await external();
      expect(before).toBeGreaterThan(100_000_000);
      // Two databases, three times.
      for (const loaded of [4, 6, 8]) {
        service.child.kill('SIGHUP');
        await service.logged('data files loaded', loaded);
      }
      // Another thread frees what was replaced.
      await eventually(
        'the memory of one copy of each database',
        async () => (await external()) < before * 1.1,
      );
    } finally {
      await service.stop();
    }
  });

  it.each([
    ['a FIFO', ['mkfifo'], 'the path is not a regular file'],
    ['a file of 5 GiB', ['truncate', '--size=5G'], 'the file is larger than 4096 MiB'],
  ])('is not held up by %s in the place of a database', async (_, [program = '', ...args], output) => {
    const folder = mkdtempSync(join(tmpdir(), 'ip-locate-'));
    const path = join(folder, 'City.mmdb');
    execFileSync(program, [...args, path]);
    const service = startServiceProcess({
      args: [builtFile('ip-locate')],
      env: { DRAIN_DELAY_MS: '0', DATABASE_PATH: path },
    });
    const health = (await (await fetch(`${await service.url()}/health`)).json()) as Health;
    expect(health).toMatchObject({
      status: 'fail',
      checks: { 'database:city': [{ output }] },
    });
    expect(await service.stop()).toBe(0);
    rmSync(folder, { recursive: true });
  });
});
