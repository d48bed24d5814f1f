import { createHash } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killServices, startService } from './support/service.ts';

const line = (principal: string, token: string): string =>
  `${principal}:${createHash('sha256').update(token).digest('hex')}\n`;

// No broker listens there: an authenticated client gets 503, any other 401.
const KAFKA_BOOTSTRAP_SERVERS = '127.0.0.1:1';

describe('a file of tokens', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tokens-'));
  });
  afterEach(killServices);
  afterAll(() => rm(folder, { recursive: true }));

  it('is read again when it changes, and its last good version stays', async () => {
    const file = join(folder, 'tokens');
    const replace = async (text: string): Promise<void> => {
      await writeFile(`${file}.new`, text);
      await rename(`${file}.new`, file);
    };
    await replace(line('alice', '0123456789abcdef'));
    const service = await startService({ KAFKA_BOOTSTRAP_SERVERS, AUTH_TOKENS_FILE: file });
    const statusOf = async (token: string): Promise<number> => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      return (await fetch(`${service.url}/operations`, { method: 'POST', headers, body: '[]' })).status;
    };
    expect([await statusOf('0123456789abcdef'), await statusOf('fedcba9876543210')]).toEqual([422, 401]);

    await replace(line('bob', 'fedcba9876543210'));
    await service.logged('data files loaded', 2);
    expect([await statusOf('0123456789abcdef'), await statusOf('fedcba9876543210')]).toEqual([401, 422]);

    await replace('bob:fedcba9876543210');
    await service.logged('data files not loaded: the previous version stays in use');
    expect(await statusOf('fedcba9876543210')).toBe(422);
    const authorization = 'Bearer fedcba9876543210';
    const health = await fetch(`${service.url}/health`, { headers: { authorization } });
    const { checks } = (await health.json()) as { checks: Record<string, unknown> };
    expect(checks['tokens:file']).toEqual([
      expect.objectContaining({
        status: 'warn',
        output: expect.stringContaining('earlier tokens count'),
      }),
    ]);
    expect(JSON.stringify(service.lines)).not.toContain('fedcba9876543210');
  });

  it('has to be usable at the start', async () => {
    const missing = join(folder, 'missing');
    await expect(startService({ KAFKA_BOOTSTRAP_SERVERS, AUTH_TOKENS_FILE: missing })).rejects.toThrow();
  });
});
