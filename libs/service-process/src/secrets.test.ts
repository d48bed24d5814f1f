import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { secret } from '@workspace/schemas';
import { currentSecret, readConfig } from './index.ts';

const schema = Type.Object({ PASSWORD: secret('a secret'), OTHER_PASSWORD: secret('another') });

describe('a secret', () => {
  let folder: string;
  const read = (env: Record<string, string>) => readConfig(schema, env);
  const file = (text: string): string => {
    writeFileSync(join(folder, 'secret'), text);
    return join(folder, 'secret');
  };
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'secrets-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each(['s3cret', ' s3cret ', 's3c\nret', 's3cret\n', 's3cret\r\n'])(
    'may be in a file (%j)',
    async (text) => {
      const config = read({ PASSWORD_FILE: file(text) });
      expect(config.PASSWORD).toBe(text.replace(/\r?\n$/, ''));
      expect(await currentSecret(config, 'PASSWORD')).toBe(config.PASSWORD);
    },
  );

  it('in a file is read again, so that it can be replaced', async () => {
    const config = read({ PASSWORD_FILE: file('old') });
    file('new');
    expect(await currentSecret(config, 'PASSWORD')).toBe('new');
    rmSync(join(folder, 'secret'));
    await expect(currentSecret(config, 'PASSWORD')).rejects.toThrow(/^PASSWORD_FILE: ENOENT[^/]*$/);
  });

  it('that is not in a file stays as it was set', async () => {
    expect(await currentSecret(read({ PASSWORD: 'set' }), 'PASSWORD')).toBe('set');
    expect(await currentSecret(read({}), 'PASSWORD')).toBeUndefined();
  });

  it.each<[string, () => Record<string, string>, RegExp]>([
    [
      'twice',
      () => ({ PASSWORD: 'a', PASSWORD_FILE: file('b') }),
      /PASSWORD and PASSWORD_FILE must not be set/,
    ],
    [
      'in no file',
      () => ({ PASSWORD_FILE: '/no/s3cret' }),
      /- PASSWORD_FILE: ENOENT: no such file or directory$/,
    ],
    ['in a folder', () => ({ PASSWORD_FILE: folder }), /- PASSWORD_FILE: EISDIR/],
    ['in an empty file', () => ({ PASSWORD_FILE: file('\n') }), /PASSWORD must be a string of at least 1/],
  ])('is rejected %s', (_where, env, message) => {
    expect(() => read(env())).toThrow(message);
    expect(() => read(env())).not.toThrow(/s3cret/);
  });
});
