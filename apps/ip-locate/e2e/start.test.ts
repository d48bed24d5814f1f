import { spawnSync } from 'node:child_process';
import { MAIN } from './workspace.ts';

const start = (env: Record<string, string>) =>
  spawnSync(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
    timeout: 20_000,
  });

describe('the start', () => {
  it('names every fault of the environment at once, and exits with 1', () => {
    const { status, stderr, stdout } = start({ PORT: 'abc', TRUST_PROXY: 'true', RATE_LIMIT: '-1' });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/PORT must be an integer/);
    expect(stderr).toMatch(/RATE_LIMIT must be an integer/);
    expect(stderr).toMatch(/TRUST_PROXY must name proxies.* not "true"/);
  });

  it.each([
    [{ TRUST_PROXY: '1' }, 'not "1"'],
    [{ TRUST_PROXY: '10.0.0.0/8, 0.0.0.0/0' }, 'not "0.0.0.0/0"'],
    [{ CLIENT_IP_HEADER: 'x-real-ip' }, 'set TRUST_PROXY too'],
    [{ ERROR_STATUS: '404' }, 'ERROR_STATUS must be an integer'],
  ])('refuses %j', (env, fault) => {
    const { status, stderr } = start(env);
    expect([status, stderr]).toEqual([1, expect.stringContaining(fault)]);
  });
});
