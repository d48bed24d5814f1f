import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOfToken } from '@workspace/service-kit/access-tokens';
import { DOCUMENTATION } from '../test/documents.ts';

/** A file of API keys in a folder of its own. */
export interface KeyFile {
  readonly path: string;
  /** Replaces all keys: a limit, or nothing, by key. */
  write(limits: Readonly<Record<string, string>>): void;
  remove(): void;
}

export const keyFile = (limits: Readonly<Record<string, string>>): KeyFile => {
  const folder = mkdtempSync(join(tmpdir(), 'ip-locate-keys-'));
  const path = join(folder, 'api-keys');
  const write: KeyFile['write'] = (all) => {
    const lines = Object.entries(all).map(([key, limit]) => {
      const digest = digestOfToken(key).toString('hex');
      return `${digest.slice(0, 8)}:${digest} ${limit}`;
    });
    writeFileSync(path, `${lines.join('\n')}\n`);
  };
  write(limits);
  return { path, write, remove: () => rmSync(folder, { recursive: true }) };
};

/**
 * Makes a key by the documented commands.
 * @returns the key, and the settings that the documentation starts the service with
 */
export const documentedKey = (folder: string): { key: string; env: Record<string, string> } => {
  const [, commands, settings] =
    /```sh\n(key=[\s\S]*?)\n(API_KEYS_FILE=.*) node main\.js\n```/.exec(DOCUMENTATION) ?? [];
  if (commands === undefined || settings === undefined)
    throw new Error('the documentation has no commands for keys');
  const key = execFileSync('bash', ['-ec', `${commands}\nprintf %s "$key"`], {
    cwd: folder,
    encoding: 'utf8',
  });
  const env = Object.fromEntries(settings.split(' ').map((one) => one.split('=') as [string, string]));
  return { key, env: { ...env, API_KEYS_FILE: join(folder, env['API_KEYS_FILE'] as string) } };
};
