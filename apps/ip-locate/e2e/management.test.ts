import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';
import manifest from '../package.json' with { type: 'json' };
import { type RunningService, startService } from './service.ts';

/** The paths of which SECURITY.md promises that the public listener does not have them. */
const SECURITY = readFileSync(join(workspaceRoot, '.github/SECURITY.md'), 'utf8');
const PROMISE = /^- (.*) are only on a separate management port/m.exec(SECURITY)?.[1] ?? '';
const PATHS = [...PROMISE.matchAll(/`(\/\w+)`/g)].map(([, path]) => path!);

/** What the operator reads there. */
const SECRETS: Readonly<Record<string, RegExp>> = {
  '/metrics': /^# (HELP|TYPE) /m,
  '/version': new RegExp(`"version":"${manifest.version}"`),
};

describe('what SECURITY.md promises to be on the management port only', () => {
  let service: RunningService;
  let management: string;
  beforeAll(async () => {
    service = await startService({ MANAGEMENT_PORT: '0', TRUST_PROXY: 'loopback' });
    management = String((await service.logged('management listening'))['address']);
  });
  afterAll(() => service.stop());

  const get = async (url: string, accept: string) => {
    const answer = await fetch(url, { headers: { accept, 'x-forwarded-for': '8.8.8.8' } });
    return { status: answer.status, body: await answer.text() };
  };

  it('is known to this test', () => {
    expect(PATHS).toEqual(Object.keys(SECRETS));
  });

  it.each(PATHS)('%s', async (path) => {
    const secret = SECRETS[path]!;
    expect(await get(`${management}${path}`, '*/*')).toEqual({
      status: 200,
      body: expect.stringMatching(secret),
    });
    for (const spelling of [
      path,
      `${path}/`,
      `/${path}`,
      `${path}?fields=all`,
      path.toUpperCase(),
      `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`,
    ]) {
      for (const accept of ['*/*', 'application/json', 'text/plain']) {
        const { status, body } = await get(`${service.url}${spelling}`, accept);
        // The version of the caller's address is a field.
        const isField = path === '/version' && status === 200;
        expect([spelling, isField ? body : status]).toEqual([spelling, isField ? 'IPv4' : 404]);
        expect(body).not.toMatch(secret);
      }
    }
  });
});
