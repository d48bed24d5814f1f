import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataCopy } from '@workspace/release-catalogue/testing';
import { describeWith, runTool } from '@workspace/testing';
import { runReleaseData } from './release-data.ts';
import { startService } from './service.ts';

const MANAGERS = ['calvinb', 'saki'];

describeWith(['gpg'], 'GnuPG', () => {
  let data: DataCopy;
  const homes: string[] = [];
  /** Its socket has to fit in 108 bytes. */
  const home = () => {
    homes.push(mkdtempSync('/tmp/gpg-'));
    return homes.at(-1)!;
  };
  const gpg = (folder: string, ...args: string[]) =>
    runTool('gpg', ['--homedir', folder, '--batch', '--quiet', '--yes', ...args]);
  beforeAll(() => (data = new DataCopy()));
  afterAll(async () => {
    for (const folder of homes) {
      await runTool('gpgconf', ['--homedir', folder, '--kill', 'all']);
      rmSync(folder, { recursive: true, force: true });
    }
    data.remove();
  });

  it('signs a release that promote accepts, imports the keyring and verifies the signatures', async () => {
    const manager = home();
    const run = (...args: string[]) => runReleaseData([...args, '--data', data.folder, '--yes']);
    for (const name of MANAGERS) {
      const uid = `${name} <${name}@releases.example>`;
      await gpg(manager, '--passphrase', '', '--quick-generate-key', uid, 'ed25519', 'sign', 'never');
      const key = join(data.archives, `${name}.asc`);
      await gpg(manager, '--armor', '--output', key, '--export', uid);
      expect(await run('add-key', key, '--manager', name, '--branch', '8.4')).toMatchObject({ code: 0 });
    }

    data.pack('8.4.25');
    const files = ['gz', 'bz2', 'xz'].map((archive) => `php-8.4.25.tar.${archive}`);
    for (const file of files) await gpg(manager, '--armor', '--detach-sign', join(data.archives, file));
    const promote = () => run('promote', '8.4.25', '--kind', 'bugfix', '--tarballs', data.archives);
    data.pack('8.4.25', 'altered on the way');
    expect(await promote()).toMatchObject({ code: 1, notes: expect.stringContaining('did not match') });
    data.pack('8.4.25');
    expect(await promote()).toMatchObject({ code: 0 });

    const service = await startService({ DATA_DIR: data.folder });
    try {
      const text = async (path: string) => (await fetch(service.url + path)).text();
      const user = home();
      const keyring = join(data.root, 'keyring.asc');
      writeFileSync(keyring, await text('/api/v1/keyring.asc'));
      await gpg(user, '--import', keyring);
      const imported = [...(await gpg(user, '--with-colons', '--list-keys')).matchAll(/^fpr:+(\w+):/gm)];
      const keys = JSON.parse(await text('/api/v1/keys')).items;
      const fingerprints = keys.map(({ fingerprint }: { fingerprint: string }) => fingerprint);
      expect(fingerprints).toHaveLength(MANAGERS.length);
      expect(imported.map(([, fingerprint]) => fingerprint).sort()).toEqual([...fingerprints].sort());
      const { item } = JSON.parse(await text('/api/v1/releases/8.4.25'));
      expect(item.files).toHaveLength(3);
      for (const { filename, signature } of item.files) {
        const asc = join(data.root, `${filename}.asc`);
        writeFileSync(asc, signature.asc);
        const status = await gpg(user, '--status-fd', '1', '--verify', asc, join(data.archives, filename));
        expect(status).toContain(`VALIDSIG ${signature.fingerprint}`);
        expect(fingerprints).toContain(signature.fingerprint);
      }
    } finally {
      await service.stop();
    }
  });
});
